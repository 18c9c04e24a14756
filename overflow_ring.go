package hashedwheel

import "math/bits"

// ring holds the timeouts of its next 63 slots. The slot that current is in is
// always empty, or about to be emptied: what is due in it is filed closer.
type ring struct {
	shift    uint   // log2(ticks a slot)
	occupied uint64 // a bit for each slot
	slots    [ringSlots]slot
}

type slot struct {
	bucket
	earliest int64 // no timeout here expires before this tick
}

const (
	ringBits  = 6 // the slots of a ring fit the bits of a word
	ringSlots = 1 << ringBits
)

// distance returns how many slots tick is ahead of current.
func (r *ring) distance(tick, current int64) int64 { return tick>>r.shift - current>>r.shift }

func (r *ring) add(to *Timeout, tick int64) {
	i := tick >> r.shift & (ringSlots - 1)
	s := &r.slots[i]
	if s.empty() || tick < s.earliest {
		s.earliest = tick
	}
	s.add(to)
	r.occupied |= 1 << i
}

// vacate follows the removal of a timeout that was filed under tick.
func (r *ring) vacate(tick int64) {
	if i := tick >> r.shift & (ringSlots - 1); r.slots[i].empty() {
		r.occupied &^= 1 << i
	}
}

// nextSlot returns the number of the first occupied slot from current on. The
// ring must not be empty.
func (r *ring) nextSlot(current int64) int64 {
	now := current >> r.shift
	ahead := bits.RotateLeft64(r.occupied, -int(now&(ringSlots-1)))
	return now + int64(bits.TrailingZeros64(ahead))
}
