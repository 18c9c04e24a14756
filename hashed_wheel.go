package hashedwheel

import (
	"math"
	"math/bits"
)

// hashedWheel keeps timeouts by the tick at which they expire. It is pure: no
// clock, no goroutine, no lock; the one atomic it touches is a timeout's word,
// which it reads. Its owner holds Timer.mu.
//
// A timeout with no rounds remaining is in the bucket of its tick, modulo the
// number of buckets. One with rounds remaining waits in an overflow ring of 64
// slots (overflow_ring.go), the first whose slots are coarse enough to reach it:
//
//	                 tick = 1000, current = 3, 8 buckets
//
//	buckets    one tick each    0..7   (1000-3)/8 = 124 rounds remain: too far
//	ring 0     8 ticks a slot          1000/8  - 3/8  = 125 slots away: too far
//	ring 1   512 ticks a slot          1000/512 - 3/512 = 1 slot away: here
//	ring 2 32768 ticks a slot
//
// When the wheel reaches the start of that slot, tick 512, the timeout is filed
// again, into ring 0, and at tick 1000 into a bucket: it is touched once a ring,
// however far away it is. Ticks are absolute and rounds are derived from them,
// never counted down, so that any number of ticks can be skipped.
//
// From Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (1987): the
// buckets are a window of one turn (scheme 4) that slides over hashed ticks (as in
// scheme 6), the rings their hierarchy (scheme 7), for what a hashed wheel is bad
// at.
type hashedWheel struct {
	tick    int64 // ns
	never   int64 // the tick of maxDeadline, which no clock reaches
	current int64 // first tick not taken yet: all that is filed expires then or later
	open    int64 // first tick for what is filed from now on: later than what is being taken
	count   int   // timeouts filed, and those taken but still in the due list

	buckets  []bucket // the ticks from current up to, but not including, current+len(buckets)
	occupied bitmap   // of buckets
	shift    uint     // log2(len(buckets))
	rings    []ring
}

const noTick = math.MaxInt64

func (w *hashedWheel) init(tick int64, size int) {
	w.tick = tick
	w.current, w.open = 1, 1 // tick 0 is the instant at which the timer was made
	w.buckets = make([]bucket, size)
	w.occupied = newBitmap(size)
	w.shift = uint(bits.TrailingZeros(uint(size)))
	w.never = w.tickOf(maxDeadline)
	farthest := 2 * (w.never + 1) // from the earliest time, long before the timer was made, to the latest
	for shift := w.shift; farthest>>shift != 0; shift += ringBits {
		w.rings = append(w.rings, ring{shift: shift})
	}
}

// tickOf rounds a deadline up to a tick.
func (w *hashedWheel) tickOf(deadline int64) int64 { return roundUp(deadline, w.tick) }

func roundUp(deadline, ns int64) (tick int64) {
	tick = deadline / ns
	if deadline%ns > 0 {
		tick++
	}
	return tick
}

// place files an unfiled timeout under a tick, or under the first open one if that
// tick is closed.
func (w *hashedWheel) place(to *Timeout, tick int64) {
	w.put(to, max(tick, w.open))
}

// put files a timeout under a tick that has not been taken.
func (w *hashedWheel) put(to *Timeout, tick int64) {
	w.count++
	if (tick-w.current)>>w.shift == 0 { // no rounds remaining
		i := w.index(tick)
		to.home = home(tick<<levelBits | inBucket)
		w.buckets[i].add(to)
		w.occupied.set(i)
		return
	}
	k := 0
	for w.rings[k].distance(tick, w.current) >= ringSlots {
		k++
	}
	to.home = home(tick<<levelBits | int64(inRing+k))
	w.rings[k].add(to, tick)
}

// remove takes a filed timeout out, be it in a bucket, a ring or the due list.
func (w *hashedWheel) remove(to *Timeout) {
	tick, level := to.home.tick(), to.home.level()
	unlink(to)
	to.home = unfiled
	w.count--
	if level != inBucket {
		w.rings[level-inRing].vacate(tick)
	} else if i := w.index(tick); w.buckets[i].empty() {
		w.occupied.clear(i)
	}
}

// close makes what is filed from now on expire after a tick, for a pass in which
// all up to that tick is taken: it will not meet what its own tasks arm.
func (w *hashedWheel) close(tick int64) { w.open = max(w.open, tick+1) }

// putBack returns a timeout that was taken to the due list.
func (w *hashedWheel) putBack(to *Timeout, due *bucket) {
	to.home = home((w.current-1)<<levelBits | inBucket)
	if !due.empty() {
		to.home = due.head.home // not the last tick taken, if the wheel was rewound
	}
	w.count++
	due.add(to)
}

// advance takes the next occupied tick that is no later than last, moves its
// timeouts to due, which must be empty, and returns the tick. With none left it
// moves on behind last and returns noTick. The work is proportional to what is
// filed, not to the ticks that pass.
func (w *hashedWheel) advance(last int64, due *bucket) int64 {
	for {
		tick := w.nextBucket()
		r, start := w.nextSlot()
		if start <= min(tick, last) {
			w.current = start
			w.refile(r, start)
			continue
		}
		if tick > last {
			w.current = max(w.current, last+1)
			w.open = max(w.open, w.current)
			return noTick
		}
		i := w.index(tick)
		w.buckets[i].moveTo(due)
		w.occupied.clear(i)
		w.current = tick + 1
		w.open = max(w.open, w.current)
		return tick
	}
}

// next returns the earliest tick at which a timeout may be due, or noTick if
// there is none that the clock can reach. It is never too late; it is too early
// for a timeout that was moved later, or removed from a ring, since it was filed.
func (w *hashedWheel) next() int64 {
	tick := w.nextBucket()
	for k := range w.rings {
		if r := &w.rings[k]; r.occupied != 0 {
			tick = min(tick, r.slots[r.nextSlot(w.current)&(ringSlots-1)].earliest)
		}
	}
	if tick >= w.never {
		return noTick
	}
	return tick
}

// isAhead reports whether the wheel is ahead of a clock at tick, which was set
// back. It asks open, not current: a pass that never ended has closed its tick.
func (w *hashedWheel) isAhead(tick int64) bool { return tick+1 < w.open }

// rewind turns the wheel back to an earlier tick, after the clock was set back,
// in one visit to everything that is filed.
func (w *hashedWheel) rewind(tick int64) {
	var all bucket
	w.clear(all.add)
	w.current, w.open = tick, tick
	for all.head != nil {
		to := all.head
		unlink(to)
		w.place(to, w.tickOf(to.load().deadline()))
	}
}

// clear removes everything but the due list and hands each timeout to f.
func (w *hashedWheel) clear(f func(*Timeout)) {
	empty := func(b *bucket) {
		for b.head != nil {
			to := b.head
			w.remove(to)
			f(to)
		}
	}
	for i := w.occupied.next(0); i >= 0; i = w.occupied.next(i) {
		empty(&w.buckets[i])
	}
	for k := range w.rings {
		for r := &w.rings[k]; r.occupied != 0; {
			empty(&r.slots[bits.TrailingZeros64(r.occupied)].bucket)
		}
	}
}

// refile files the timeouts of a slot that current has come to again, closer.
// Those no longer pending are let go, and those moved later go where their new
// deadline says, not where the old one did.
func (w *hashedWheel) refile(r *ring, start int64) {
	var reached bucket
	i := start >> r.shift & (ringSlots - 1)
	r.slots[i].moveTo(&reached)
	r.occupied &^= 1 << i
	for reached.head != nil {
		to := reached.head
		unlink(to)
		to.home = unfiled
		w.count--
		if word := to.load(); word.state() == Pending {
			w.put(to, max(w.current, w.tickOf(word.deadline())))
		}
	}
}

func (w *hashedWheel) index(tick int64) int { return int(tick & int64(len(w.buckets)-1)) }

// nextBucket returns the first tick whose bucket is occupied, or noTick.
func (w *hashedWheel) nextBucket() int64 {
	now := w.index(w.current)
	turn := w.current - int64(now)
	if i := w.occupied.next(now); i >= 0 {
		return turn + int64(i)
	}
	if i := w.occupied.next(0); i >= 0 {
		return turn + int64(len(w.buckets)+i)
	}
	return noTick
}

// nextSlot returns the occupied slot that current reaches first, as its ring
// and first tick, or noTick.
func (w *hashedWheel) nextSlot() (first *ring, start int64) {
	start = noTick
	for k := range w.rings {
		r := &w.rings[k]
		if r.occupied == 0 {
			continue
		}
		if s := r.nextSlot(w.current) << r.shift; s < start {
			first, start = r, s
		}
	}
	return first, start
}
