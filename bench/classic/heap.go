package classic

import (
	"container/heap"
	"time"
)

// OpenHeap opens a timer on a binary heap, as java.util.Timer and most event
// loops have: it sleeps until the earliest timeout is due. Unlike java.util.Timer
// it takes out what is stopped at once.
func OpenHeap(tick time.Duration) *Timer { return open(tick, &binaryHeap{}) }

type binaryHeap struct{ all byTick }

func (h *binaryHeap) place(to *Timeout) { heap.Push(&h.all, to) }

func (h *binaryHeap) remove(to *Timeout) { heap.Remove(&h.all, to.index) }

func (h *binaryHeap) next(int64) int64 {
	if len(h.all) == 0 {
		return never
	}
	return h.all[0].tick
}

func (h *binaryHeap) expire(_, now int64, due func(*Timeout)) {
	for len(h.all) > 0 && h.all[0].tick <= now {
		due(heap.Pop(&h.all).(*Timeout))
	}
}

type byTick []*Timeout

func (b byTick) Len() int           { return len(b) }
func (b byTick) Less(i, j int) bool { return b[i].tick < b[j].tick }

func (b byTick) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].index, b[j].index = i, j
}

func (b *byTick) Push(x any) {
	to := x.(*Timeout)
	to.index = len(*b)
	*b = append(*b, to)
}

func (b *byTick) Pop() any {
	last := len(*b) - 1
	to := (*b)[last]
	(*b)[last] = nil
	*b = (*b)[:last]
	return to
}
