package wheels

// rounds is one wheel, where a timeout counts the turns it has to wait: Netty's scheme, with 512 slots by default, and
// scheme 6 of Varghese and Lauck. Every visit to a slot counts down all that wait in it.
type rounds struct {
	bits    uint // log2(slots)
	slots   []*timeout
	current int64
	looks
}

func newRounds(bits uint) *rounds { return &rounds{bits: bits, slots: newLists(1 << bits)} }

func (r *rounds) slot(tick int64) *timeout { return r.slots[tick&int64(len(r.slots)-1)] }

func (r *rounds) place(to *timeout) {
	to.rounds = (to.tick - r.current - 1) >> r.bits
	link(r.slot(to.tick), to)
}

func (r *rounds) remove(to *timeout) { unlink(to) }

func (r *rounds) next(current int64) int64 { return current + 1 }

func (r *rounds) expire(current, now int64, due func(*timeout)) {
	for tick := current + 1; tick <= now; tick++ {
		r.current = tick
		r.each(r.slot(tick), func(to *timeout) {
			if to.rounds > 0 {
				to.rounds--
				return
			}
			unlink(to)
			due(to)
		})
	}
}
