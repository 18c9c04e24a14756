package hashedwheel

import (
	"math/bits"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// hashedWheel keeps timeouts by the tick in which they are due. It is pure: no clock, no goroutine, no lock, and the
// only atomic it reads is a timeout's word. A timeout that is due within a turn of the buckets is in the bucket of its
// tick, modulo their number. A later timeout, one with remaining rounds, waits in the first overflow ring that reaches
// its tick. A ring has 64 slots, each as wide as half a turn of the buckets, or as 32 slots of the ring below.
//
//	                 tick = 1000, current = 3, 8 buckets
//
//	level 0   buckets, one tick each      1000 - 3            = 997 of 8: too far
//	level 1   ring,    4 ticks a slot     1000/4 - 3/4        = 250 of 64: too far
//	level 2   ring,  128 ticks a slot     1000/128 - 3/128    = 7 of 64: here
//	level 3   ring, 4096 ticks a slot
//
// If the worker runs between tick 896, where that slot begins, and 1000, the timeout is filed again, into level 1, and
// at tick 1000 into a bucket: it is touched at most once per level. Ticks are absolute and slots are derived from them,
// so any number of ticks can be skipped. From Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (1987): a
// window of one turn (scheme 4) over hashed ticks (6), with a hierarchy (7).
//
// A bucket is not sorted. While its tick lasts and it holds a few timeouts, each is taken at its own time, by looking
// at all of them; a fuller one waits until its tick has ended, and is then taken whole.
type hashedWheel struct {
	tickLen int64 // ns; set by init, then read only, like few
	few     int

	// Three hands, which only the worker moves. Every timeout is filed under current or later, and current has ended.
	//
	//	buckets   empty │ due, all of it │ still to come, or looked through
	//	                ▲ current        ▲ current+1, at the latest the tick of closed
	current tick
	closed  int64 // ns: the time of the last pass, see place; -1 if there was none
	unseen  int   // how many timeouts of the bucket of closed pop is still to look at; 0 between two looks

	count  int      // timeouts filed
	levels []*level // the levels that have been needed so far
	spares spares   // empty chunks of the levels
}

// A tick counts ticks since the timer was made: tick 0 begins then.
type tick int64

const (
	// A bucket with more timeouts than these is taken when its tick has ended: one batch has room for them.
	few = limits.Batch

	// A crowd is a slot of a ring so full that filing it again in one go would delay others: half a millisecond's work.
	// While the wheel is in the slot before it, its timeouts are filed again between passes, a portion at a time:
	// earlier they would not fit below.
	crowd = limits.Crowd
)

func (w *hashedWheel) init(tickLen int64, size, few int) {
	w.tickLen, w.few = tickLen, few
	w.current, w.closed = -1, -1
	w.levels = []*level{newLevel(0, 0, max(2, size), &w.spares)}
}

func (w *hashedWheel) tickAt(at int64) tick  { return tick(at / w.tickLen) }
func (w *hashedWheel) start(tick tick) int64 { return int64(tick) * w.tickLen }

// place files a timeout whose deadline the worker has just read. If the last pass has closed that time, the timeout is
// due in the next tick: otherwise a pass would not end while a task arms its own timeout for the past again and again.
func (w *hashedWheel) place(t *Timeout, deadline int64) {
	if deadline <= w.closed {
		deadline = w.start(w.tickAt(w.closed) + 1)
	}
	w.put(t, deadline)
}

// put files a timeout that is due at a time. If that is closed, the pass takes it.
func (w *hashedWheel) put(t *Timeout, due int64) {
	tick, k := w.current, 0
	if due > w.closed {
		tick = max(tick, w.tickAt(due))
	}
	for !w.levels[k].reaches(tick, w.current) {
		k++
		if k == len(w.levels) {
			w.addRing()
		}
	}
	w.levels[k].add(t, tick, due)
	w.count++
}

func (w *hashedWheel) addRing() {
	shift := uint(bits.Len(uint(w.levels[0].size / 4))) // half a turn
	if n := len(w.levels); n > 1 {
		shift = w.levels[n-1].shift + ringBits
	}
	w.levels = append(w.levels, newLevel(len(w.levels), shift, ringSlots, &w.spares))
}

func (w *hashedWheel) remove(t *Timeout) {
	k := t.home.level()
	if k < 0 || k >= len(w.levels) {
		misused(t)
	}
	w.levels[k].remove(t)
	w.count--
}

// open begins a pass at a time. It moves on to its tick if nothing is filed before it, so that the intake is filed in
// the lowest level possible.
func (w *hashedWheel) open(now int64) {
	w.closed, w.unseen = now, 0
	if first, _ := w.firstSlot(); first >= w.tickAt(now)-1 {
		w.current = max(w.current, w.tickAt(now)-1)
	}
}

// advance moves on to the first tick that has ended and whose bucket is occupied. through means that there is none, and
// nothing has changed. On the way, advance files the timeouts of slots again, at most limit of them, and returns how
// many.
func (w *hashedWheel) advance(limit int) (filed int, through bool) {
	from, open := w.current, w.tickAt(w.closed)
	for filed < limit {
		start, l := w.firstSlot()
		w.current = max(w.current, min(start, open-1))
		if start > open || l == w.levels[0] {
			return filed, filed == 0 && w.current == from
		}
		i := l.index(l.number(start))
		for ; filed < limit && l.slots.len(i) > 0; filed++ {
			w.fileAgain(w.popFrom(l, i))
		}
	}
	return filed, false
}

// firstSlot returns the tick at which the first occupied slot begins, and its level: the highest of several, since its
// timeouts may be filed again into the others.
func (w *hashedWheel) firstSlot() (tick tick, first *level) {
	tick = noNumber
	for _, l := range w.levels {
		if n := l.next(l.occupied, l.number(w.current)); n != noNumber && l.begins(n) <= tick {
			tick, first = l.begins(n), l
		}
	}
	return tick, first
}

// pop removes a timeout of the current bucket, or else one that is due of the bucket after it, if the tick of that
// lasts; nil if there is none. It looks at no more than limit, and returns at how many it has looked. See waits.
func (w *hashedWheel) pop(limit int) (t *Timeout, looked int) {
	l := w.levels[0]
	if i := l.index(int64(w.current)); l.slots.len(i) > 0 {
		return w.popFrom(l, i), 1
	}
	open := w.tickAt(w.closed)
	i, n := l.index(int64(open)), l.len(int64(open))
	if open != w.current+1 || w.unseen == 0 && (l.earliest[i] > w.closed || w.waits(int64(open))) {
		return nil, 0
	}
	if w.unseen == 0 {
		w.unseen = n
	}
	for w.unseen = min(w.unseen, n); w.unseen > 0; looked++ { // some may have left
		if looked == limit {
			return nil, looked
		}
		w.unseen--
		if t := l.at(i, w.unseen); t.load().isDue(w.closed) {
			w.remove(t) // what takes its place was looked at, or came later: then it is due after closed
			return t, looked + 1
		}
	}
	l.earliest[i] = max(l.earliest[i], w.closed+1)
	return nil, looked
}

// waits reports whether a bucket is taken when its tick has ended. One into which place has put timeouts of the tick
// before is looked through once, however full.
func (w *hashedWheel) waits(number int64) bool {
	l := w.levels[0]
	return l.len(number) > w.few && l.earliest[l.index(number)] > w.start(tick(number))
}

func (w *hashedWheel) popFrom(l *level, i int) *Timeout {
	w.count--
	return l.popLast(i)
}

// popAny removes any timeout; nil if none is filed.
func (w *hashedWheel) popAny() *Timeout {
	tick, l := w.firstSlot()
	if l == nil {
		return nil
	}
	return w.popFrom(l, l.index(l.number(tick)))
}

// fileAgain files a popped timeout by the deadline in its word if it is pending, and drops it otherwise. It also files
// a queued timeout: its push may be refused, and then Timer.StopAll must find it here.
func (w *hashedWheel) fileAgain(t *Timeout) {
	if word := t.load(); word.state() == Pending {
		w.put(t, word.deadline())
	}
}

// next returns the earliest time at which a timeout may be due, or maxDeadline if none is. Of the first buckets it
// first files those again that were moved later, at most about a portion: so a run of the worker saves those that would
// find nothing due, one for each tick in which an idle timeout was due before it was moved.
func (w *hashedWheel) next() (due int64) {
	due = maxDeadline
	buckets := w.levels[0]
	n := buckets.next(buckets.occupied, int64(w.current))
	for left := portion; n != noNumber && buckets.len(n) <= w.few && left > 0; n = buckets.next(buckets.occupied, n) {
		left -= buckets.len(n)
		if w.sift(n) {
			break
		}
	}
	switch {
	case n == noNumber:
	case w.waits(n):
		due = min(due, w.start(tick(n)+1))
	default:
		due = min(due, buckets.earliest[buckets.index(n)])
	}
	for _, l := range w.levels[1:] {
		if n := l.next(l.occupied, l.number(w.current)); n != noNumber {
			due = min(due, l.earliest[l.index(n)])
		}
	}
	return due
}

// sift files the timeouts of a bucket again that were moved later, and reports whether others are left.
func (w *hashedWheel) sift(number int64) (left bool) {
	l := w.levels[0]
	i, start, end := l.index(number), w.start(tick(number)), w.start(tick(number)+1)
	l.earliest[i] = end
	for index := l.len(number) - 1; index >= 0; index-- {
		t := l.at(i, index)
		word := t.load()
		switch {
		case word.state() != Pending: // it is queued: the next drain lets go of it
			w.remove(t)
		case !word.queued() && word.deadline() >= end:
			w.remove(t)
			w.put(t, word.deadline())
		default:
			l.earliest[i] = min(l.earliest[i], max(start, word.deadline()))
		}
	}
	return l.len(number) > 0
}

// nextWork returns the time at which a timeout may be due, or a crowd is to be thinned; maxDeadline if there is
// neither.
func (w *hashedWheel) nextWork() (at int64) {
	at = w.next()
	if at == maxDeadline {
		return at // timeouts that are never due are not a crowd
	}
	for _, l := range w.levels[1:] {
		if n := l.next(l.crowded, l.number(w.current)+1); n != noNumber && l.shift > 0 {
			at = min(at, w.start(max(w.current, l.begins(n-1))+1)) // when current is in the slot before
		}
	}
	return at
}

// thin files a portion of a crowd again, and reports whether there was one.
func (w *hashedWheel) thin() bool {
	for _, l := range w.levels[1:] {
		if n := l.number(w.current) + 1; l.shift > 0 && l.len(n) >= crowd {
			for range portion {
				w.fileAgain(w.popFrom(l, l.index(n)))
			}
			return true
		}
	}
	return false
}
