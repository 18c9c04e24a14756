package classic

import "time"

// OpenHierarchy opens a timer on a wheel of 256 slots and four of 64 above it,
// as Linux had before 4.8: scheme 7 of Varghese and Lauck. It ticks when it is
// empty, too, and files a timeout anew each time the wheel above it moves on.
func OpenHierarchy(tick time.Duration) *Timer {
	h := &hierarchy{near: newLists(nearSlots)}
	for i := range h.far {
		h.far[i] = newLists(farSlots)
	}
	return open(tick, h)
}

const (
	nearBits  = 8
	nearSlots = 1 << nearBits
	farBits   = 6
	farSlots  = 1 << farBits
)

type hierarchy struct {
	near    []*Timeout
	far     [4][]*Timeout
	current int64
}

func (h *hierarchy) place(to *Timeout) {
	ahead := to.tick - h.current
	if ahead < nearSlots {
		link(h.near[to.tick%nearSlots], to)
		return
	}
	top := len(h.far) - 1
	for k := range h.far {
		if shift := nearBits + farBits*k; k == top || ahead < farSlots<<shift {
			slot := min(to.tick, h.current+farSlots<<shift-1) >> shift
			link(h.far[k][slot%farSlots], to)
			return
		}
	}
}

func (h *hierarchy) remove(to *Timeout) { unlink(to) }

func (h *hierarchy) next(current int64) int64 { return current + 1 }

func (h *hierarchy) expire(current, now int64, due func(*Timeout)) {
	for tick := current + 1; tick <= now; tick++ {
		h.advance(tick)
		each(h.near[tick%nearSlots], func(to *Timeout) {
			unlink(to)
			due(to)
		})
	}
}

// advance moves on to tick, and files what is in the slots that begin there
// closer.
func (h *hierarchy) advance(tick int64) {
	h.current = tick
	for k := 0; k < len(h.far) && tick%(1<<(nearBits+farBits*k)) == 0; k++ {
		slot := tick >> (nearBits + farBits*k) % farSlots
		each(h.far[k][slot], func(to *Timeout) {
			unlink(to)
			h.place(to)
		})
	}
}
