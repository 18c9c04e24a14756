package hashedwheel

import "github.com/hashedwheel/hashedwheel/internal/taskname"

// bucket is a doubly linked list of timeouts, in no order. prev points at whatever points
// at the timeout, a predecessor's next or the head, as in Linux's hlist: a timeout leaves
// its list in O(1) without knowing which list that is.
//
// The two links around a timeout must point back at it. Each operation compares them on
// lines that it writes anyway, and so finds one that was copied or overwritten.
type bucket struct {
	head *Timeout
}

func (b *bucket) add(t *Timeout) {
	if b.head != nil {
		b.first().prev = &t.next
	}
	t.next, t.prev = b.head, &b.head
	b.head = t
}

// first returns the head of a list that is not empty.
func (b *bucket) first() *Timeout {
	if b.head.prev != &b.head {
		misused(b.head)
	}
	return b.head
}

// unlink takes t out of the list it is in.
func unlink(t *Timeout) {
	if t.prev == nil || *t.prev != t {
		misused(t)
	}
	if t.next != nil {
		if t.next.prev != &t.next {
			misused(t.next)
		}
		t.next.prev = t.prev
	}
	*t.prev = t.next
	t.next, t.prev = nil, nil // let the collector have them
}

// misused panics because of a Timeout that is not where the wheel left it.
func misused(t *Timeout) {
	owner := "that has been cleared"
	if t.task != nil {
		owner = "of a " + taskname.Of(t.task)
	}
	panic("hashedwheel: Timeout " + owner + " was copied or overwritten after it was armed")
}

// home is where a timeout is: the level in the low bits, above it the tick it is filed under.
type home int64

const (
	levelBits = 4

	unfiled = 0 // not in the wheel
	inBatch = 1 // being handed out
	inWheel = 2 // 2+k: in level k
)

func homeIn(k int, tick int64) home { return home(tick<<levelBits | int64(inWheel+k)) }

func (h home) level() int  { return int(h&(1<<levelBits-1)) - inWheel }
func (h home) tick() int64 { return int64(h) >> levelBits }
