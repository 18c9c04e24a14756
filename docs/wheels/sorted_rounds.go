package wheels

// sortedRounds is one wheel for delays of any length whose slots are ordered lists: scheme 5 of Varghese and Lauck.
// Timeouts that are turns away come after the due ones, so a tick looks at the first of a slot alone; arming looks for
// the place.
type sortedRounds struct {
	slots []*timeout
	looks
}

func newSortedRounds(bits uint) *sortedRounds { return &sortedRounds{slots: newLists(1 << bits)} }

func (r *sortedRounds) place(to *timeout) { r.insert(slotOf(r.slots, to.tick), to) }

func (r *sortedRounds) remove(to *timeout) { unlink(to) }

func (r *sortedRounds) next(current int64) int64 { return current + 1 }

func (r *sortedRounds) expire(current, now int64, due func(*timeout)) {
	for tick := current + 1; tick <= now; tick++ {
		r.takeDue(slotOf(r.slots, tick), tick, due)
	}
}
