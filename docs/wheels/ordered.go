package wheels

// ordered keeps its timeouts in one list in the order in which they expire: scheme 2 of Varghese and Lauck. It looks at
// the first alone when time passes, but has to find each timeout its place.
type ordered struct {
	all *timeout
	looks
}

func newOrdered() *ordered { return &ordered{all: newList()} }

func (o *ordered) place(to *timeout) { o.insert(o.all, to) }

// insert links to into a list, behind all that expire before it or with it.
func (l *looks) insert(head, to *timeout) {
	at := head.next
	for ; at != head; at = at.next {
		l.visits++
		if at.tick > to.tick {
			break
		}
	}
	link(at, to) // in front of at
}

func (o *ordered) remove(to *timeout) { unlink(to) }

func (o *ordered) next(int64) int64 {
	if o.all.next == o.all {
		return never
	}
	return o.all.next.tick
}

func (o *ordered) expire(_, now int64, due func(*timeout)) { o.takeDue(o.all, now, due) }

// takeDue takes the timeouts that are due by now from the head of an ordered list.
func (l *looks) takeDue(head *timeout, now int64, due func(*timeout)) {
	for to := head.next; to != head; to = head.next {
		l.visits++
		if to.tick > now {
			return
		}
		unlink(to)
		due(to)
	}
}
