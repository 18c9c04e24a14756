package wheels

// looks counts how often a design looks at a timeout that it holds: to see whether it is due, to compare it with
// another, to move it on.
type looks struct{ visits int }

func (l *looks) visited() int { return l.visits }

// each calls f, which may unlink its timeout, for each timeout that is in the list when it starts.
func (l *looks) each(head *timeout, f func(*timeout)) {
	last := head.prev
	for to := head.next; to != head; {
		next, ended := to.next, to == last
		l.visits++
		f(to)
		if ended {
			return
		}
		to = next
	}
}
