package hashedwheel

import (
	"github.com/hashedwheel/hashedwheel/internal/bitmap"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// level is one ring of slots of the wheel: level 0 is the buckets, a slot for each tick; the others are the overflow
// rings. A slot's number is tick >> shift for every tick in it, and its index is that number modulo size: a level holds
// size numbers, from the current one on.
type level struct {
	kind     int  // the kind in its timeouts' homes
	shift    uint // log2(ticks a slot)
	size     int  // slots, a power of two
	slots    buckets
	earliest []int64       // ns, by slot: no timeout in it is due before this time
	occupied bitmap.Bitmap // the slots that hold timeouts
	crowded  bitmap.Bitmap // the slots of a ring that hold a crowd
}

const (
	// A ring reaches twice as far as a slot of the ring above it is wide. So a crowd can be thinned a whole slot before
	// its time, and its timeouts fit below.
	ringSlots = 64
	ringBits  = 5 // log2 of the number of slots that make up one slot of the ring above

	noNumber = 1<<63 - 1 // no slot has this number
)

func newLevel(k int, shift uint, slots int, s *spares) *level {
	return &level{
		kind: inWheel + k, shift: shift, size: slots, slots: buckets{make([]slot, slots), s},
		earliest: make([]int64, slots), occupied: bitmap.New(slots), crowded: bitmap.New(slots),
	}
}

// reaches reports whether there is a slot for tick, which is not before current.
func (l *level) reaches(tick, current tick) bool {
	return l.number(tick)-l.number(current) < int64(l.size)
}

func (l *level) number(t tick) int64 { return int64(t >> l.shift) }

// begins returns the first tick of the slot with the given number.
func (l *level) begins(number int64) tick { return tick(number) << l.shift }

func (l *level) index(number int64) int { return int(number & int64(l.size-1)) }

// len returns how many timeouts the slot with the given number holds.
func (l *level) len(number int64) int { return l.slots.len(l.index(number)) }

// add appends a timeout that is due at a time to the slot of a tick.
func (l *level) add(t *Timeout, tick tick, due int64) {
	i := l.index(l.number(tick))
	n := l.slots.len(i)
	if n == 0 {
		l.occupied.Set(i)
	}
	if n == 0 || due < l.earliest[i] {
		l.earliest[i] = due
	}
	if n == crowd-1 {
		l.crowded.Set(i)
	}
	l.slots.add(i, t)
	t.home = homeIn(l.kind, i, n)
}

// at returns the timeout at an index in slot i.
func (l *level) at(i, index int) *Timeout {
	t := *l.slots.entry(i, index)
	if t == nil || t.home != homeIn(l.kind, i, index) {
		misused(t)
	}
	return t
}

// popLast removes the last timeout of slot i.
func (l *level) popLast(i int) *Timeout {
	t := l.slots.drop(i)
	n := l.slots.len(i)
	if n == crowd-1 {
		l.crowded.Clear(i)
	}
	if n == 0 {
		l.occupied.Clear(i)
	}
	if t == nil || t.home != homeIn(l.kind, i, n) {
		misused(t)
	}
	t.home = unfiled
	return t
}

// remove takes t out of its slot. The slot's last timeout moves to the entry of t.
func (l *level) remove(t *Timeout) {
	h := t.home
	i, index := h.slot(), h.index()
	if i >= l.size || index >= l.slots.len(i) {
		misused(t)
	}
	entry := l.slots.entry(i, index)
	if *entry != t {
		misused(t)
	}
	last := l.popLast(i)
	if last != t {
		*entry = last
		last.home = h
		t.home = unfiled
	}
}

// next returns the first number, from the given one on, whose slot is in set, or noNumber if set is empty.
func (l *level) next(set bitmap.Bitmap, from int64) int64 {
	i := l.index(from)
	j := set.Next(i)
	if j < 0 {
		j = set.Next(0) // wrap around
	}
	if j < 0 {
		return noNumber
	}
	return from + int64(l.index(int64(j-i)))
}

// home is a timeout's position in the wheel: the kind in the low bits, then the index of the slot, then the index in
// the slot.
type home uint64

const (
	kindBits = 4 // a wheel has at most 13 levels, since each ring reaches 32 times as far as the one below
	slotBits = 16

	unfiled = 0 // not in the wheel; perhaps queued
	inWheel = 1 // 1+k: in level k
)

// This does not compile if a slot's index needs more bits.
const _ = uint(1<<slotBits - maxWheelSize)

func homeIn(kind, slot, index int) home {
	return home(index)<<(slotBits+kindBits) | home(slot)<<kindBits | home(kind)
}

func (h home) level() int { return int(h&(1<<kindBits-1)) - inWheel }
func (h home) slot() int  { return int(h >> kindBits & (1<<slotBits - 1)) }
func (h home) index() int { return int(h >> (slotBits + kindBits)) }

// misused ends the process because a Timeout is not where the wheel left it. The wheel may be inconsistent by now, so
// nobody may recover this panic. It calls no user code to name the task, since it runs under the lock.
func misused(t *Timeout) {
	what := "hashedwheel: armed Timeout, or one stopped a moment ago, was overwritten (was the struct that holds it " +
		"cleared? call Release first)"
	if t != nil && t.task != nil {
		what = "hashedwheel: armed Timeout of " + taskname.OfPlaced(t.task) + " was copied or overwritten (did a " +
			"slice grow, or was the struct that holds it cleared? call Release first)"
	}
	go panic(what)
	select {}
}

// checkOwner detects a timeout that was cleared and bound to another Timer, whose wheel has given it the same home.
func checkOwner(t *Timeout, owner *Timer) {
	if t.timer != owner {
		misused(t)
	}
}
