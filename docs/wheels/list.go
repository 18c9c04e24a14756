package wheels

// unordered keeps its timeouts in one list, in no order, and looks at every one of them at every tick: scheme 1 of
// Varghese and Lauck.
type unordered struct {
	all *timeout
	looks
}

func newUnordered() *unordered { return &unordered{all: newList()} }

func (u *unordered) place(to *timeout) { link(u.all, to) }

func (u *unordered) remove(to *timeout) { unlink(to) }

func (u *unordered) next(current int64) int64 { return current + 1 }

func (u *unordered) expire(_, now int64, due func(*timeout)) {
	u.each(u.all, func(to *timeout) {
		if to.tick <= now {
			unlink(to)
			due(to)
		}
	})
}

// newList returns the sentinel of an empty circular list.
func newList() *timeout {
	head := new(timeout)
	head.next, head.prev = head, head
	return head
}

func newLists(n int) []*timeout {
	lists := make([]*timeout, n)
	for i := range lists {
		lists[i] = newList()
	}
	return lists
}

func link(head, to *timeout) {
	to.prev, to.next = head.prev, head
	head.prev.next, head.prev = to, to
}

func unlink(to *timeout) {
	to.prev.next, to.next.prev = to.next, to.prev
	to.prev, to.next = nil, nil
}
