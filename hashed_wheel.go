package hashedwheel

import (
	"math/bits"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// hashedWheel keeps timeouts by the tick at which they expire. It is pure: no clock, no goroutine, no lock, and the
// only atomic it reads is a timeout's word. A timeout with no rounds remaining is in the bucket of its tick, modulo
// the number of buckets. A timeout with rounds remaining waits in an overflow ring of 64 slots, the first ring that
// reaches it. A slot is as wide as half a turn of the buckets, or as 32 slots of the ring below.
//
//	                 tick = 1000, current = 3, 8 buckets
//
//	level 0   buckets, one tick each      1000 - 3            = 997 of 8: too far
//	level 1   ring,    4 ticks a slot     1000/4 - 3/4        = 250 of 64: too far
//	level 2   ring,  128 ticks a slot     1000/128 - 3/128    = 7 of 64: here
//	level 3   ring, 4096 ticks a slot
//
// When the wheel reaches the start of that slot, tick 896, the timeout is filed again, into level 1, and
// at tick 1000 into a bucket: it is touched once a level. Ticks are absolute and rounds are derived from
// them, so any number of ticks can be skipped. From Varghese and Lauck, "Hashed and Hierarchical Timing
// Wheels" (1987): a window of one turn (scheme 4) over hashed ticks (6), with a hierarchy (7).
type hashedWheel struct {
	tickLen int64 // ns
	never   int64 // the tick of maxDeadline, which no clock reaches
	current int64 // first tick that may not have been taken whole: every filed timeout is due then or later
	opening int64 // first tick for timeouts that place files from now on: current, or the tick behind it while current is being taken
	count   int   // timeouts filed

	levels []*level // the levels that have been needed so far
	cursor *Timeout // the next timeout that a walk will look at; remove moves it on
}

func (w *hashedWheel) init(tickLen int64, size int) {
	w.tickLen = tickLen
	w.current, w.opening = 1, 1 // tick 0 is the instant at which the timer was made
	w.levels = []*level{newLevel(0, size)}
	w.never = w.tickOf(maxDeadline)
}

func (w *hashedWheel) tickOf(deadline int64) int64 { return roundUp(deadline, w.tickLen) }

func roundUp(deadline, ns int64) (tick int64) {
	tick = deadline / ns
	if deadline%ns > 0 {
		tick++
	}
	return tick
}

// place files a timeout under a tick, or under the first open tick if that is closed. With placeDue a
// timeout that was queued before the last tick was closed may still be due then.
func (w *hashedWheel) place(t *Timeout, tick int64)    { w.put(t, max(tick, w.opening)) }
func (w *hashedWheel) placeDue(t *Timeout, tick int64) { w.put(t, max(tick, w.current)) }

// put files a timeout under a tick that has not been taken.
func (w *hashedWheel) put(t *Timeout, tick int64) {
	k := 0
	for !w.levels[k].reaches(tick, w.current) {
		k++
		if k == len(w.levels) {
			w.addRing()
		}
	}
	w.levels[k].add(t, tick)
	t.home = homeIn(k, tick)
	w.count++
}

func (w *hashedWheel) addRing() {
	shift := uint(bits.Len(uint(len(w.levels[0].slots) / 4))) // half a turn
	if n := len(w.levels); n > 1 {
		shift = w.levels[n-1].shift + ringBits
	}
	w.levels = append(w.levels, newLevel(shift, ringSlots))
}

func (w *hashedWheel) remove(t *Timeout) {
	k := t.home.level()
	if k >= len(w.levels) {
		misused(t)
	}
	l := w.levels[k]
	if t == l.inHand {
		l.inHand = t.next
	}
	if t == w.cursor {
		w.cursor = t.next
	}
	unlink(t)
	l.vacate(t.home.tick())
	t.home = unfiled
	w.count--
}

// close makes all timeouts that place files from now on, also those of this pass's tasks, expire after a tick.
func (w *hashedWheel) close(tick int64) { w.opening = max(w.opening, tick+1) }

// skip moves on to a tick if nothing is due before it: timeouts armed for the past are then filed under it.
func (w *hashedWheel) skip(tick int64) {
	if first, _ := w.first(); first >= tick {
		w.leave(tick - 1)
	}
}

// advance moves on to the first tick, no later than last, whose bucket is occupied, and reports whether
// it is through: nothing is filed up to last, and current is last at least. On its way it files the
// timeouts of slots again, at most limit of them, and returns how many.
func (w *hashedWheel) advance(last int64, limit int) (filed int, through bool) {
	for filed < limit {
		start, l := w.first()
		if start > last {
			w.current = max(w.current, last)
			return filed, true
		}
		w.current = start
		if l == w.levels[0] {
			break
		}
		for number := start >> l.shift; filed < limit && l.slot(number).n > 0; filed++ {
			w.fileAgain(l.slot(number).first())
		}
	}
	return filed, false
}

// leave moves on past a tick, up to which nothing is filed or will be.
func (w *hashedWheel) leave(tick int64) {
	w.current = max(w.current, tick+1)
	w.opening = max(w.opening, w.current)
}

// first returns the tick at which the first occupied slot begins, and its level: the highest of several,
// since its timeouts may be filed again into the others.
func (w *hashedWheel) first() (tick int64, first *level) {
	tick = noTick
	for _, l := range w.levels {
		if n := l.next(l.occupied, w.current>>l.shift, w.current); n != noTick && n<<l.shift <= tick {
			tick, first = n<<l.shift, l
		}
	}
	return tick, first
}

// pop removes a timeout filed under current; nil if none is left, or if current is later than last.
func (w *hashedWheel) pop(last int64) *Timeout {
	s := w.levels[0].slot(w.current)
	if w.current > last || s.n == 0 {
		return nil
	}
	t := s.first()
	w.remove(t)
	return t
}

// popAny removes any timeout; nil if none is filed.
func (w *hashedWheel) popAny() *Timeout {
	tick, l := w.first()
	if l == nil {
		return nil
	}
	t := l.slot(tick >> l.shift).first()
	w.remove(t)
	return t
}

// fileAgain files a pending timeout by the deadline in its word, and lets any other go. A queued timeout
// is kept: its push may be refused, and then Timer.Stop must find it here.
func (w *hashedWheel) fileAgain(t *Timeout) {
	w.remove(t)
	if word := t.load(); word.state() == Pending {
		w.placeDue(t, w.tickOf(word.deadline()))
	}
}

// next returns the earliest tick at which a timeout may be due, or noTick if none is filed. The tick is
// too early if the earliest timeout was moved later or removed.
func (w *hashedWheel) next() (tick int64) {
	tick = noTick
	for _, l := range w.levels {
		if number := l.next(l.occupied, w.current>>l.shift, w.current); number != noTick {
			tick = min(tick, l.slot(number).earliest)
		}
	}
	return tick
}

// isAhead reports whether the wheel is ahead of a clock that was set back. It compares opening, not
// current, since a pass that never ended has closed its tick.
func (w *hashedWheel) isAhead(tick int64) bool { return tick+1 < w.opening }

// rewind turns the wheel back to an earlier tick, in one visit to all that is filed.
func (w *hashedWheel) rewind(tick int64) {
	var all bucket
	for w.count > 0 {
		all.add(w.popAny())
	}
	w.current, w.opening = tick, tick
	for _, l := range w.levels {
		l.latest = noSlot
	}
	for all.head != nil {
		t := all.first()
		unlink(t)
		w.place(t, w.tickOf(t.load().deadline()))
	}
}

// A crowd is a slot or bucket so full that filing it in one go would delay others. It is opened before
// its time, and looked at portion by portion between passes: each timeout goes where it belongs now, or closer.
const (
	crowd        = limits.Crowd
	perCrowd     = 500 * time.Nanosecond // time allowed for each timeout of a crowd; it takes 100 to 250 on two cores
	unmovedLimit = limits.Unmoved        // after so many in a row that stay, the rest of the bucket is left alone: to look at all made firing 15% more expensive (go test -bench Fire)
)

// thin looks at a portion of a crowd that is to be opened by now, and reports whether there was a crowd.
func (w *hashedWheel) thin() bool {
	for _, l := range w.levels {
		if l.inHand == nil {
			number, at := l.crowdAt(w.current, w.tickLen)
			if at >= w.current {
				continue
			}
			l.latest, l.unmoved = number, 0
			l.inHand = l.slot(number).first()
		}
		for n := 0; n < portion && l.inHand != nil; n++ {
			t := l.inHand
			l.inHand = t.next
			l.unmoved++
			word := t.load()
			isMoved := !word.queued() && word.deadline() > t.home.tick()*w.tickLen // a queued timeout is left to the drain
			if l.shift > 0 || isMoved {
				w.fileAgain(t)
				l.unmoved = 0
			} else if l.unmoved == unmovedLimit {
				l.inHand = nil
			}
		}
		return true
	}
	return false
}

// wake returns the tick at which a timeout may be due, or a crowd is to be opened.
func (w *hashedWheel) wake() int64 {
	tick := w.next()
	if tick >= w.never {
		return noTick // timeouts that are never due are no crowd
	}
	for _, l := range w.levels {
		_, at := l.crowdAt(w.current, w.tickLen)
		tick = min(tick, at)
	}
	return tick
}

// crowdAt returns the first crowded slot that was not opened yet, and the tick at which to open it so that it and
// all crowds behind it are done in time, but not before its timeouts fit into the level below; or noTick, twice.
func (l *level) crowdAt(current, tickLen int64) (number, at int64) {
	number, at = noTick, noTick
	work := int64(0)
	from := max(current>>l.shift, l.latest+1)
	for n := l.next(l.crowded, from, current); n != noTick; n = l.next(l.crowded, n+1, current) {
		number = min(number, n)
		work += int64(l.slot(n).n) * int64(perCrowd)
		at = min(at, n<<l.shift-work/tickLen-1)
	}
	if number != noTick && l.shift > 0 {
		at = max(at, (number-1)<<l.shift)
	}
	return number, at
}
