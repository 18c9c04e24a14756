package hashedwheel

import "github.com/hashedwheel/hashedwheel/internal/taskname"

// home is where a timeout is: the kind in the low bits; for the wheel above it the index of the slot, and above that
// the index in the slot; for the batch the index in it.
type home uint64

const (
	kindBits = 4 // a wheel has at most 13 levels, since each ring reaches 32 times as far as the one below
	slotBits = 16

	unfiled = 0 // neither in the wheel nor in the batch; perhaps queued, or held
	inBatch = 1 // being handed out
	inWheel = 2 // 2+k: in level k
)

// This does not compile if a slot's index needs more bits.
const _ = uint(1<<slotBits - maxWheelSize)

func homeIn(kind, slot, index int) home {
	return home(index)<<(slotBits+kindBits) | home(slot)<<kindBits | home(kind)
}

func (h home) kind() int  { return int(h & (1<<kindBits - 1)) }
func (h home) level() int { return h.kind() - inWheel }
func (h home) slot() int  { return int(h >> kindBits & (1<<slotBits - 1)) }
func (h home) index() int { return int(h >> (slotBits + kindBits)) }

// misused panics because of a Timeout that is not where the wheel left it.
func misused(t *Timeout) {
	owner := "that has been cleared"
	if t != nil && t.task != nil {
		owner = "of a " + taskname.Of(t.task)
	}
	panic("hashedwheel: Timeout " + owner + " was copied or overwritten after it was armed")
}

// checkOwner finds a timeout that was cleared, and bound to another Timer whose wheel has filed it in a place of the
// same name.
func checkOwner(t *Timeout, owner *Timer) {
	if t.timer != owner {
		misused(t)
	}
}
