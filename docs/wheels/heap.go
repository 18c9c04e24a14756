package wheels

import "container/heap"

// binaryHeap is what java.util.Timer and most event loops have: nothing wakes until the earliest timeout is due. Unlike
// java.util.Timer it takes a stopped timeout out at once.
type binaryHeap struct {
	all []*timeout
	looks
}

func (h *binaryHeap) place(to *timeout) { heap.Push(h, to) }

func (h *binaryHeap) remove(to *timeout) { heap.Remove(h, to.index) }

func (h *binaryHeap) next(int64) int64 {
	if len(h.all) == 0 {
		return never
	}
	return h.all[0].tick
}

func (h *binaryHeap) expire(_, now int64, due func(*timeout)) {
	for len(h.all) > 0 {
		h.visits++
		if h.all[0].tick > now {
			return
		}
		due(heap.Pop(h).(*timeout))
	}
}

// What container/heap calls.

func (h *binaryHeap) Len() int { return len(h.all) }

func (h *binaryHeap) Less(i, j int) bool {
	h.visits++
	return h.all[i].tick < h.all[j].tick
}

func (h *binaryHeap) Swap(i, j int) {
	h.all[i], h.all[j] = h.all[j], h.all[i]
	h.all[i].index, h.all[j].index = i, j
}

func (h *binaryHeap) Push(x any) {
	to := x.(*timeout)
	to.index = len(h.all)
	h.all = append(h.all, to)
}

func (h *binaryHeap) Pop() any {
	last := len(h.all) - 1
	to := h.all[last]
	h.all[last] = nil
	h.all = h.all[:last]
	return to
}
