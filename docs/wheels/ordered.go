package wheels

// ordered keeps its timeouts in one list in the order in which they expire: scheme 2 of Varghese and Lauck. It looks at
// the first alone when time passes, but has to find each timeout its place.
type ordered struct {
	all *timeout
	looks
}

func newOrdered() *ordered { return &ordered{all: newList()} }

// place links to into the list, behind all that expire before it or with it.
func (o *ordered) place(to *timeout) {
	at := o.all.next
	for ; at != o.all; at = at.next {
		o.visits++
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

func (o *ordered) expire(_, now int64, due func(*timeout)) {
	for to := o.all.next; to != o.all; to = o.all.next {
		o.visits++
		if to.tick > now {
			return
		}
		unlink(to)
		due(to)
	}
}
