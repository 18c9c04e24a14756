package wheels

import "container/heap"

// lazyLevels is Kafka's hierarchy: a level is made when the first timeout needs it, and a heap of the occupied slots
// has the next time to wake, so nothing ticks. The clock moves only when a slot is reached. A slot that has become
// empty by Stop stays in the heap until then, as in Kafka.
type lazyLevels struct {
	levels  []*lazyLevel
	bits    int // log2(slots)
	reached slotHeap
	looks
}

type lazyLevel struct {
	shift   int // log2(ticks a slot)
	current int64
	slots   []*lazySlot
}

type lazySlot struct {
	all   *timeout
	start int64 // its first tick; -1: not in the heap
}

func newLazyLevels(bits int) *lazyLevels {
	w := &lazyLevels{bits: bits}
	w.addLevel(0)
	return w
}

func (w *lazyLevels) addLevel(current int64) {
	l := &lazyLevel{shift: w.bits * len(w.levels), current: current}
	for range 1 << w.bits {
		l.slots = append(l.slots, &lazySlot{all: newList(), start: -1})
	}
	w.levels = append(w.levels, l)
}

func (w *lazyLevels) place(to *timeout) {
	for k := 0; ; k++ {
		if k == len(w.levels) {
			w.addLevel(w.levels[k-1].current)
		}
		l := w.levels[k]
		if number := to.tick >> l.shift; number-l.current>>l.shift < int64(len(l.slots)) {
			s := l.slots[number&int64(len(l.slots)-1)]
			link(s.all, to)
			if start := number << l.shift; s.start != start {
				s.start = start
				heap.Push(&w.reached, s)
			}
			return
		}
	}
}

func (w *lazyLevels) remove(to *timeout) { unlink(to) }

func (w *lazyLevels) next(int64) int64 {
	if len(w.reached) == 0 {
		return never
	}
	return w.reached[0].start
}

func (w *lazyLevels) expire(_, now int64, due func(*timeout)) {
	for w.next(now) <= now {
		s := heap.Pop(&w.reached).(*lazySlot)
		tick := s.start
		s.start = -1
		for _, l := range w.levels {
			l.current = tick
		}
		w.each(s.all, func(to *timeout) {
			unlink(to)
			if to.tick <= tick {
				due(to)
			} else {
				w.place(to)
			}
		})
	}
}

// slotHeap has the slot on top that is reached first.
type slotHeap []*lazySlot

func (h slotHeap) Len() int           { return len(h) }
func (h slotHeap) Less(i, j int) bool { return h[i].start < h[j].start }
func (h slotHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *slotHeap) Push(x any)        { *h = append(*h, x.(*lazySlot)) }

func (h *slotHeap) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	*h = (*h)[:last]
	return s
}
