package hashedwheel

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// checkedAlways is the size up to which a wheel is checked at every call. A
// larger one is checked in proportion, so that a call costs some
// tens of microseconds on average, however much is pending.
const checkedAlways = 1 << 11

// checkWheel is called after every change, if built with -tags invariants. The
// caller holds mu.
func (t *Timer) checkWheel() {
	if invariants {
		t.wheel.check(&t.due, t.watch.handoffs > 0)
	}
}

// check panics if an invariant of the wheel is broken. The due list is part of
// the wheel here: it is counted. The caller holds Timer.mu and is not in the
// middle of a change or of Timer.Stop.
//
// Producers may change words meanwhile. So each word is read once, and held to
// no more than what stays true whatever they do to it:
//   - A timeout that is filed has been armed and has not expired.
//   - If it is no longer pending it is queued: somebody will take it out.
//   - If it is pending and not queued, it is filed no later than it is due. Its
//     deadline can have moved since, but only to later: any other change queues it.
//
// Once a wheel was handed on, a claim that came late may have left a timeout
// Expired where it was filed again, until the wheel comes to it.
func (w *hashedWheel) check(due *bucket, handedOn bool) {
	if size := w.count + len(w.buckets)/64; size > checkedAlways && rand.IntN(size) >= checkedAlways {
		return
	}
	w.occupied.check()
	c := checker{w, handedOn}
	inBuckets, first := c.checkBuckets()
	inRings, firstInRing := c.checkRings()
	first = min(first, firstInRing)
	if n := c.checkDue(due) + inBuckets + inRings; n != w.count {
		broken("count is %d, but %d are filed", w.count, n)
	}
	if next := w.next(); next < w.current || next > first && next != noTick || next == noTick && first < w.never {
		broken("next is %d, current %d, the first tick filed under %d", next, w.current, first)
	}
}

type checker struct {
	*hashedWheel
	handedOn bool
}

func broken(format string, args ...any) {
	panic("hashedwheel: invariant: " + fmt.Sprintf(format, args...))
}

// check panics if a level does not tell which words of the level below are zero.
func (b *bitmap) check() {
	for k := 1; k < len(b.levels); k++ {
		for i, below := range b.levels[k-1] {
			if upper := b.levels[k][i/64]>>(i%64)&1 != 0; upper != (below != 0) {
				broken("bitmap level %d has bit %d = %t, the word is %#x", k, i, upper, below)
			}
		}
	}
}

// check panics if the list is not well linked, hands each timeout to f and
// returns how many there are.
func (b *bucket) check(f func(*Timeout)) (n int) {
	for link := &b.head; *link != nil; link = &(*link).next {
		to := *link
		if to.prev != link { // a list that runs into itself ends here, too
			broken("timeout %d of a list does not point back at what points at it", n)
		}
		f(to)
		n++
	}
	return n
}

// checkBuckets looks where occupied says: a bucket that it misses is missing in
// the count. It returns how many timeouts there are, and their first tick.
func (w checker) checkBuckets() (n int, first int64) {
	first = noTick
	for i := w.occupied.next(0); i >= 0; i = w.occupied.next(i + 1) {
		if i >= len(w.buckets) || w.buckets[i].empty() {
			broken("bucket %d is marked occupied, and is not", i)
		}
		n += w.buckets[i].check(func(to *Timeout) {
			tick := to.home.tick()
			if to.home.level() != inBucket || w.index(tick) != i {
				broken("bucket %d holds home %#x", i, int64(to.home))
			}
			if tick < w.current || tick-w.current >= int64(len(w.buckets)) {
				broken("bucket %d holds tick %d, a turn of %d from %d does not", i, tick, len(w.buckets), w.current)
			}
			first = min(first, tick)
			w.checkInTime(to, w.checkWord(to))
		})
	}
	return n, first
}

// checkRings does the same for the rings.
func (w checker) checkRings() (n int, first int64) {
	first = noTick
	for k := range w.rings {
		r := &w.rings[k]
		for marked := r.occupied; marked != 0; marked &= marked - 1 {
			i := bits.TrailingZeros64(marked)
			if r.slots[i].empty() {
				broken("ring %d slot %d is marked occupied, and is not", k, i)
			}
			n += r.slots[i].check(func(to *Timeout) {
				w.checkSlot(k, i, to)
				first = min(first, to.home.tick())
			})
		}
	}
	return n, first
}

// checkSlot checks a timeout found in slot i of ring k.
func (w checker) checkSlot(k, i int, to *Timeout) {
	r, tick := &w.rings[k], to.home.tick()
	number := tick >> r.shift // of the slot, not modulo ringSlots
	if to.home.level() != inRing+k || number&(ringSlots-1) != int64(i) {
		broken("ring %d slot %d holds home %#x", k, i, int64(to.home))
	}
	d := r.distance(tick, w.current)
	if d < 0 || d >= ringSlots || d == 0 && w.current != number<<r.shift {
		broken("ring %d holds tick %d, %d slots from %d", k, tick, d, w.current)
	}
	if e := r.slots[i].earliest; e > tick || e>>r.shift != number {
		broken("ring %d slot %d has earliest %d, and holds tick %d", k, i, e, tick)
	}
	w.checkInTime(to, w.checkWord(to))
}

// checkDue checks the list that a bucket was moved to. Its tick is behind
// current, unless the wheel was rewound since.
func (w checker) checkDue(due *bucket) int {
	return due.check(func(to *Timeout) {
		if to.home.level() != inBucket || to.home.tick() != due.head.home.tick() {
			broken("the due list of tick %d holds home %#x", due.head.home.tick(), int64(to.home))
		}
		w.checkWord(to)
	})
}

// checkWord checks and returns the word of a timeout that is filed.
func (w checker) checkWord(to *Timeout) word {
	word := to.load()
	switch word.state() {
	case Pending:
	case Expired:
		if !w.handedOn {
			broken("tick %d holds a timeout that is Expired", to.home.tick())
		}
	case Cancelled, Rejected:
		if !word.queued() {
			broken("tick %d holds a timeout that is %v, and nobody will take it out", to.home.tick(), word.state())
		}
	default:
		broken("tick %d holds a timeout that is %v", to.home.tick(), word.state())
	}
	return word
}

func (w checker) checkInTime(to *Timeout, word word) {
	if word.state() != Pending || word.queued() {
		return
	}
	if at := max(w.tickOf(word.deadline()), w.open); to.home.tick() > at {
		broken("a timeout due at tick %d is filed under %d", at, to.home.tick())
	}
}
