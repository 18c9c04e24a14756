package wheels

// hierarchy is a wheel and four coarser ones above it: scheme 7 of Varghese and Lauck. Linux had it before 4.8, of 256
// and four times 64 slots. It also ticks when it is empty, and files a timeout again each time the wheel above it moves
// on.
type hierarchy struct {
	nearBits, farBits int // log2(slots)
	near              []*timeout
	far               [4][]*timeout
	current           int64
	looks
}

func newHierarchy(nearBits, farBits int) *hierarchy {
	h := &hierarchy{nearBits: nearBits, farBits: farBits, near: newLists(1 << nearBits)}
	for k := range h.far {
		h.far[k] = newLists(1 << farBits)
	}
	return h
}

// shift is log2 of how many ticks a slot of far[k] has.
func (h *hierarchy) shift(k int) int { return h.nearBits + h.farBits*k }

func (h *hierarchy) place(to *timeout) {
	ahead := to.tick - h.current
	if ahead < int64(len(h.near)) {
		link(slotOf(h.near, to.tick), to)
		return
	}
	top := len(h.far) - 1
	for k, slots := range h.far {
		if reach := int64(len(slots)) << h.shift(k); k == top || ahead < reach {
			link(slotOf(slots, min(to.tick, h.current+reach-1)>>h.shift(k)), to)
			return
		}
	}
}

func slotOf(slots []*timeout, number int64) *timeout { return slots[number&int64(len(slots)-1)] }

func (h *hierarchy) remove(to *timeout) { unlink(to) }

func (h *hierarchy) next(current int64) int64 { return current + 1 }

func (h *hierarchy) expire(current, now int64, due func(*timeout)) {
	for tick := current + 1; tick <= now; tick++ {
		h.advance(tick)
		h.each(slotOf(h.near, tick), func(to *timeout) {
			unlink(to)
			due(to)
		})
	}
}

// advance moves on to tick, and files the timeouts of slots that begin there closer.
func (h *hierarchy) advance(tick int64) {
	h.current = tick
	for k := 0; k < len(h.far) && tick%(1<<h.shift(k)) == 0; k++ {
		h.each(slotOf(h.far[k], tick>>h.shift(k)), func(to *timeout) {
			unlink(to)
			h.place(to)
		})
	}
}
