package wheels

// withoutMoves is a hierarchy that moves nothing, as Linux has had since 4.8: levels of 64 slots, each level eight
// times as coarse as the one below. A timeout expires where it was filed, at the end of its slot: late by up to an
// eighth of its delay. The kernel keeps a bit for each slot, to find the next one; this looks at them all.
type withoutMoves struct {
	levels  [4][]*timeout
	current int64
	looks
}

const (
	levelBits  = 6
	levelShift = 3 // log2 of how much coarser each level is
)

func newWithoutMoves() *withoutMoves {
	w := new(withoutMoves)
	for k := range w.levels {
		w.levels[k] = newLists(1 << levelBits)
	}
	return w
}

func (w *withoutMoves) place(to *timeout) {
	reach := int64(1<<levelBits - 1) // less than a turn, since a tick is rounded up
	for k, slots := range w.levels {
		shift := levelShift * k
		if to.tick-w.current < reach<<shift {
			link(slotOf(slots, ceil(to.tick, shift)), to)
			return
		}
	}
	panic("wheels: a delay that is too long") // the kernel makes it shorter
}

func ceil(tick int64, shift int) int64 { return (tick + 1<<shift - 1) >> shift }

func (w *withoutMoves) remove(to *timeout) { unlink(to) }

func (w *withoutMoves) next(current int64) int64 {
	tick := int64(never)
	for k, slots := range w.levels {
		shift := levelShift * k
		for n := current>>shift + 1; n <= current>>shift+int64(len(slots)); n++ {
			if head := slotOf(slots, n); head.next != head {
				tick = min(tick, n<<shift)
				break
			}
		}
	}
	return tick
}

func (w *withoutMoves) expire(current, now int64, due func(*timeout)) {
	for tick := w.next(current); tick <= now; tick = w.next(tick) {
		for k, slots := range w.levels {
			if shift := levelShift * k; tick%(1<<shift) == 0 {
				w.each(slotOf(slots, tick>>shift), func(to *timeout) {
					unlink(to)
					due(to)
				})
			}
		}
	}
	w.current = now
}
