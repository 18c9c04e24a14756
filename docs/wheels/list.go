package wheels

import "time"

// OpenList opens a timer that keeps its timeouts in one list, in no order, and looks at every one of them at every
// tick: scheme 1 of Varghese and Lauck.
func OpenList(tick time.Duration) *Timer { return open(tick, newUnordered()) }

type unordered struct {
	all *Timeout
	looks
}

func newUnordered() *unordered { return &unordered{all: newList()} }

func (u *unordered) place(to *Timeout) { link(u.all, to) }

func (u *unordered) remove(to *Timeout) { unlink(to) }

func (u *unordered) next(current int64) int64 { return current + 1 }

func (u *unordered) expire(_, now int64, due func(*Timeout)) {
	u.each(u.all, func(to *Timeout) {
		if to.tick <= now {
			unlink(to)
			due(to)
		}
	})
}

// newList returns the sentinel of an empty circular list.
func newList() *Timeout {
	head := new(Timeout)
	head.next, head.prev = head, head
	return head
}

func newLists(n int) []*Timeout {
	lists := make([]*Timeout, n)
	for i := range lists {
		lists[i] = newList()
	}
	return lists
}

func link(head, to *Timeout) {
	to.prev, to.next = head.prev, head
	head.prev.next, head.prev = to, to
}

func unlink(to *Timeout) {
	to.prev.next, to.next.prev = to.next, to.prev
	to.prev, to.next = nil, nil
}
