package hashedwheel

import "github.com/hashedwheel/hashedwheel/internal/taskname"

// bucket is a doubly linked list of timeouts, in no order. prev points at the predecessor's next, or at the
// head, as in Linux's hlist: a timeout leaves in O(1) without knowing its list. Each operation checks that
// the links around a timeout point back at it, and so finds a timeout that was copied or overwritten.
type bucket struct{ head *Timeout }

func (b *bucket) add(t *Timeout) {
	if b.head != nil {
		b.first().prev = &t.next
	}
	t.next, t.prev = b.head, &b.head
	b.head = t
}

// first returns the head of a list that is not empty.
func (b *bucket) first() *Timeout {
	if b.head == nil || b.head.prev != &b.head {
		misused(b.head)
	}
	return b.head
}

// unlink takes t out of the list it is in.
func unlink(t *Timeout) {
	if t.prev == nil || *t.prev != t {
		misused(t)
	}
	if next := t.successor(); next != nil {
		next.prev = t.prev
	}
	*t.prev = t.next
	t.next, t.prev = nil, nil // let the collector have them
}

// successor returns the timeout behind t in its list, nil if t is the last.
func (t *Timeout) successor() *Timeout {
	if t.next != nil && t.next.prev != &t.next {
		misused(t.next)
	}
	return t.next
}

// misused panics because of a Timeout that is not where the wheel left it.
func misused(t *Timeout) {
	owner := "that has been cleared"
	if t != nil && t.task != nil {
		owner = "of a " + taskname.Of(t.task)
	}
	panic("hashedwheel: Timeout " + owner + " was copied or overwritten after it was armed")
}

// home is where a timeout is: the level in the low bits, above it the tick it is filed under.
type home int64

const (
	levelBits = 4
	unfiled   = 0 // not in the wheel
	inBatch   = 1 // being handed out
	inWheel   = 2 // 2+k: in level k
)

func homeIn(k int, tick int64) home { return home(tick<<levelBits | int64(inWheel+k)) }

func (h home) level() int  { return int(h&(1<<levelBits-1)) - inWheel }
func (h home) tick() int64 { return int64(h) >> levelBits }

// enterBatch marks a timeout that is in no list: prev points at its own next until it is overwritten.
func (t *Timeout) enterBatch() { t.home, t.prev = inBatch, &t.next }

func (t *Timeout) checkInBatch() {
	if t.home != inBatch || t.prev != &t.next {
		misused(t)
	}
}

func (t *Timeout) leaveBatch() {
	t.checkInBatch()
	t.home, t.prev = unfiled, nil
}
