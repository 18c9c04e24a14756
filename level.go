package hashedwheel

import "github.com/hashedwheel/hashedwheel/internal/bitmap"

// level is one ring of slots of the wheel: level 0 is the buckets, a slot for each tick; the others are
// the overflow rings. A slot's number is tick >> shift for every tick in it, and its index that number
// modulo len(slots): a level holds len(slots) numbers from the current one on.
type level struct {
	shift    uint // log2(ticks a slot)
	slots    []slot
	occupied bitmap.Bitmap // the slots that hold any
	crowded  bitmap.Bitmap // the slots that hold a crowd

	inHand  *Timeout // the next to be looked at in the crowd that is open; remove moves it on; nil: none is open
	latest  int64    // number of the last slot that was opened before its time
	unmoved int      // timeouts of it, one after another, that were found where they belong
}

type slot struct {
	bucket
	n        int   // timeouts
	earliest int64 // no timeout here expires before this tick
}

const (
	// A ring reaches twice as far as a slot of the ring above it is wide. So a slot can be opened a
	// whole slot before its time, and its timeouts fit below.
	ringSlots = 64
	ringBits  = 5         // log2 of how many slots make one of the ring above
	noSlot    = -1 << 62  // no slot has this number
	noTick    = 1<<63 - 1 // later than every tick: none
)

func newLevel(shift uint, slots int) *level {
	return &level{shift: shift, slots: make([]slot, slots), latest: noSlot,
		occupied: bitmap.New(slots), crowded: bitmap.New(slots)}
}

// reaches reports whether there is a slot for tick, which is not before current.
func (l *level) reaches(tick, current int64) bool {
	return tick>>l.shift-current>>l.shift < int64(len(l.slots))
}

func (l *level) index(number int64) int  { return int(number & int64(len(l.slots)-1)) }
func (l *level) slot(number int64) *slot { return &l.slots[l.index(number)] }

func (l *level) add(t *Timeout, tick int64) {
	i := l.index(tick >> l.shift)
	s := &l.slots[i]
	if s.n == 0 {
		l.occupied.Set(i)
		s.earliest = tick
	}
	s.earliest = min(s.earliest, tick)
	s.n++
	if s.n == crowd {
		l.crowded.Set(i)
	}
	s.add(t)
}

// vacate follows the removal of a timeout that was filed under tick.
func (l *level) vacate(tick int64) {
	i := l.index(tick >> l.shift)
	s := &l.slots[i]
	s.n--
	if s.n == crowd-1 {
		l.crowded.Clear(i)
	}
	if s.n == 0 {
		l.occupied.Clear(i)
	}
}

// next returns the first number, from or later, within a turn after current, whose slot is in set; or noTick.
func (l *level) next(set bitmap.Bitmap, from, current int64) int64 {
	i := l.index(from)
	j := set.NextRound(i)
	from += int64(l.index(int64(j - i)))
	if j < 0 || from-current>>l.shift >= int64(len(l.slots)) {
		return noTick
	}
	return from
}
