package hashedwheel

import (
	"math"
	"math/bits"
)

// hashedWheel keeps timeouts by the tick at which they expire. It is pure: no clock, no
// goroutine, no lock, and the only atomic it reads is a timeout's word.
//
// A timeout with no rounds remaining is in the bucket of its tick, modulo the number of
// buckets. One with rounds remaining waits in an overflow ring of 64 slots, each as wide as 32
// slots of the ring below, or as half a turn of the buckets: in the first ring that reaches it.
//
//	                 tick = 1000, current = 3, 8 buckets
//
//	level 0   buckets, one tick each      1000 - 3            = 997 of 8: too far
//	level 1   ring,    4 ticks a slot     1000/4 - 3/4        = 250 of 64: too far
//	level 2   ring,  128 ticks a slot     1000/128 - 3/128    = 7 of 64: here
//	level 3   ring, 4096 ticks a slot
//
// When the wheel reaches the start of that slot, tick 896, the timeout is filed again, into
// level 1, and at tick 1000 into a bucket: it is touched once a level. Ticks are absolute and
// rounds are derived from them, never counted down, so any number of ticks can be skipped.
//
// From Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (1987): the buckets are
// a window of one turn (scheme 4) over hashed ticks (6), the rings their hierarchy (7).
type hashedWheel struct {
	tick    int64 // ns
	never   int64 // the tick of maxDeadline, which no clock reaches
	current int64 // first tick that may not have been taken whole: all that is filed is due then or later
	opening int64 // first tick for what is placed from now on: behind what is being taken
	count   int   // timeouts filed

	levels []*level // those that have been needed so far
	cursor *Timeout // the next that a walk will look at; remove moves it on
}

const noTick = math.MaxInt64

func (w *hashedWheel) init(tick int64, size int) {
	w.tick = tick
	w.current, w.opening = 1, 1 // tick 0 is the instant at which the timer was made
	w.levels = []*level{newLevel(0, size)}
	w.never = w.tickOf(maxDeadline)
}

func (w *hashedWheel) tickOf(deadline int64) int64 { return roundUp(deadline, w.tick) }

func roundUp(deadline, ns int64) (tick int64) {
	tick = deadline / ns
	if deadline%ns > 0 {
		tick++
	}
	return tick
}

// place files a timeout under a tick, or the first open one if that is closed.
func (w *hashedWheel) place(t *Timeout, tick int64) { w.put(t, max(tick, w.opening)) }

// put files a timeout under a tick that has not been taken.
func (w *hashedWheel) put(t *Timeout, tick int64) {
	k := 0
	for !w.levels[k].reaches(tick, w.current) {
		if k++; k == len(w.levels) {
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

// close makes what is placed from now on, by tasks of this pass too, expire after a tick.
func (w *hashedWheel) close(tick int64) { w.opening = max(w.opening, tick+1) }

// skip moves on to a tick if nothing is due before it: what was armed for the past is
// then filed under a tick that the clock has come to.
func (w *hashedWheel) skip(tick int64) {
	if first, _ := w.first(); first >= tick {
		w.current = max(w.current, tick)
		w.opening = max(w.opening, tick)
	}
}

// advance moves on to the first tick, no later than last, whose bucket is occupied, and
// returns it, or else to the tick behind last. On its way it files what slots hold, at most
// limit timeouts, and returns how many: with noTick and limit there is more to file.
func (w *hashedWheel) advance(last int64, limit int) (tick int64, filed int) {
	for filed < limit {
		start, l := w.first()
		if start > last {
			w.current = max(w.current, last+1)
			w.opening = max(w.opening, w.current)
			return noTick, filed
		}
		w.current = start
		if l == w.levels[0] {
			return start, filed
		}
		for number := start >> l.shift; filed < limit && l.slot(number).n > 0; filed++ {
			w.fileAgain(l.slot(number).first())
		}
	}
	return noTick, filed
}

// first returns the tick at which the first occupied slot begins, and its level: the
// highest of several, since what it holds may be filed into the others.
func (w *hashedWheel) first() (tick int64, first *level) {
	tick = noTick
	for _, l := range w.levels {
		if n := l.next(l.occupied, w.current>>l.shift, w.current); n != noTick && n<<l.shift <= tick {
			tick, first = n<<l.shift, l
		}
	}
	return tick, first
}

// pop removes a timeout filed under current; nil if none is left or current is behind last.
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

// fileAgain files a timeout where its word says now; one no longer pending is let go.
func (w *hashedWheel) fileAgain(t *Timeout) {
	w.remove(t)
	if word := t.load(); word.state() == Pending && !word.queued() {
		w.put(t, max(w.current, w.tickOf(word.deadline())))
	}
}

// next returns the earliest tick at which a timeout may be due, or noTick if none is filed. It
// is too early for one moved later, or removed, since it was filed.
func (w *hashedWheel) next() (tick int64) {
	tick = noTick
	for _, l := range w.levels {
		if number := l.next(l.occupied, w.current>>l.shift, w.current); number != noTick {
			tick = min(tick, l.slot(number).earliest)
		}
	}
	return tick
}

// isAhead reports whether the wheel is ahead of a clock that was set back. It goes by
// opening, not current: a pass that never ended has closed its tick.
func (w *hashedWheel) isAhead(tick int64) bool { return tick+1 < w.opening }

// rewind turns the wheel back to an earlier tick, in one visit to all that is filed.
func (w *hashedWheel) rewind(tick int64) {
	var all bucket
	for t := w.popAny(); t != nil; t = w.popAny() {
		all.add(t)
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
