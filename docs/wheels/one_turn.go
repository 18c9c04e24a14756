package wheels

// oneTurn is a wheel with a slot for each tick of the longest delay there is: scheme 4 of Varghese and Lauck. The
// timeouts of a slot are due at its tick, so no timeout is ever looked at for nothing. A delay of more than a turn has
// no slot.
type oneTurn struct {
	slots   []*timeout
	current int64
	looks
}

func newOneTurn(bits uint) *oneTurn { return &oneTurn{slots: newLists(1 << bits)} }

func (w *oneTurn) place(to *timeout) {
	if to.tick-w.current > int64(len(w.slots)) {
		panic("wheels: a delay of more than a turn")
	}
	link(slotOf(w.slots, to.tick), to)
}

func (w *oneTurn) remove(to *timeout) { unlink(to) }

func (w *oneTurn) next(current int64) int64 { return current + 1 }

func (w *oneTurn) expire(current, now int64, due func(*timeout)) {
	for tick := current + 1; tick <= now; tick++ {
		w.current = tick
		w.each(slotOf(w.slots, tick), func(to *timeout) {
			unlink(to)
			due(to)
		})
	}
}
