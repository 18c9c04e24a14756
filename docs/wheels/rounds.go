package wheels

import "time"

// OpenRounds opens a timer on one wheel of 512 slots, where a timeout counts the turns it has to wait: Netty's scheme,
// and scheme 6 of Varghese and Lauck. Every visit to a slot counts down all that wait in it.
func OpenRounds(tick time.Duration) *Timer {
	return open(tick, newRounds(9)) // 512, Netty's default
}

type rounds struct {
	bits    uint // log2(slots)
	slots   []*Timeout
	current int64
	looks
}

func newRounds(bits uint) *rounds { return &rounds{bits: bits, slots: newLists(1 << bits)} }

func (r *rounds) slot(tick int64) *Timeout { return r.slots[tick&int64(len(r.slots)-1)] }

func (r *rounds) place(to *Timeout) {
	to.rounds = (to.tick - r.current - 1) >> r.bits
	link(r.slot(to.tick), to)
}

func (r *rounds) remove(to *Timeout) { unlink(to) }

func (r *rounds) next(current int64) int64 { return current + 1 }

func (r *rounds) expire(current, now int64, due func(*Timeout)) {
	for tick := current + 1; tick <= now; tick++ {
		r.current = tick
		r.each(r.slot(tick), func(to *Timeout) {
			if to.rounds > 0 {
				to.rounds--
				return
			}
			unlink(to)
			due(to)
		})
	}
}
