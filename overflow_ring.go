package hashedwheel

import "github.com/hashedwheel/hashedwheel/internal/bitmap"

// level is one ring of slots of the wheel: level 0 is the buckets, a slot for each tick; the
// others are the overflow rings. Slots are numbered by the ticks they hold, tick >> shift, and
// found by that number modulo len(slots): a level holds len(slots) numbers from the current on.
type level struct {
	shift    uint // log2(ticks a slot)
	slots    []slot
	occupied bitmap.Bitmap // the slots that hold any
	crowded  bitmap.Bitmap // the slots that hold a crowd

	// A slot with a crowd is opened before its time: inHand is the next of its
	// timeouts to be looked at, latest its number. Later ones were not opened yet.
	inHand  *Timeout // remove moves it on; nil: no crowd in hand
	latest  int64
	unmoved int // how many one after another were found where they belong
}

type slot struct {
	bucket
	n        int   // timeouts
	earliest int64 // no timeout here expires before this tick
}

const (
	// A ring reaches twice as far as a slot of the ring above it is wide. So a slot
	// can be opened a whole slot before its time, and what is in it fits below.
	ringSlots = 64
	ringBits  = 5 // log2 of how many slots make one of the ring above

	noSlot = -1 << 62 // no slot has this number
)

func newLevel(shift uint, slots int) *level {
	return &level{
		shift:    shift,
		slots:    make([]slot, slots),
		occupied: bitmap.New(slots),
		crowded:  bitmap.New(slots),
		latest:   noSlot,
	}
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
	if s.n++; s.n == crowd {
		l.crowded.Set(i)
	}
	s.add(t)
}

// vacate follows the removal of a timeout that was filed under tick.
func (l *level) vacate(tick int64) {
	i := l.index(tick >> l.shift)
	s := &l.slots[i]
	if s.n--; s.n == crowd-1 {
		l.crowded.Clear(i)
	}
	if s.n == 0 {
		l.occupied.Clear(i)
	}
}

// next returns the first number from on that is in set, one of the level's bitmaps, or noTick.
// The numbers go up to a turn from current.
func (l *level) next(set bitmap.Bitmap, from, current int64) int64 {
	i := l.index(from)
	j := set.Next(i)
	if j < 0 {
		j = set.Next(0)
	}
	from += int64(l.index(int64(j - i)))
	if j < 0 || from-current>>l.shift >= int64(len(l.slots)) {
		return noTick
	}
	return from
}
