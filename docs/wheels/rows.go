package wheels

import "strconv"

// A Row is one line of a drawing: a list, a heap, or a ring of slots.
type Row struct {
	Name  string
	Tree  bool   // slot i is the parent of 2i+1 and 2i+2
	Ticks bool   // the slots of a tree hold ticks, not timeouts
	Size  int    // of a ring
	Hand  int    // of a ring: the slot that the clock's hand is at
	Slots []Slot // of a ring, the occupied ones
}

// A Slot is a box in a row.
type Slot struct {
	Index    int
	Timeouts []string // the ticks at which they are due
}

// one is a row of boxes with one timeout each.
func one(name string, all []*Timeout) Row {
	row := Row{Name: name}
	for _, to := range all {
		row.Slots = append(row.Slots, Slot{Timeouts: []string{due(to)}})
	}
	return row
}

// ring is a row with a box for each list. The hand is at the slot with a number.
func ring(name string, slots []*Timeout, hand int64, text func(*Timeout) string) Row {
	row := Row{Name: name, Size: len(slots), Hand: int(hand) & (len(slots) - 1)}
	for i, head := range slots {
		s := Slot{Index: i}
		for _, to := range listed(head) {
			s.Timeouts = append(s.Timeouts, text(to))
		}
		if s.Timeouts != nil {
			row.Slots = append(row.Slots, s)
		}
	}
	return row
}

func due(to *Timeout) string { return strconv.FormatInt(to.tick, 10) }

func listed(head *Timeout) (all []*Timeout) {
	for to := head.next; to != head; to = to.next {
		all = append(all, to)
	}
	return all
}

func ticksASlot(shift int) string {
	if shift == 0 {
		return "1 tick a slot"
	}
	return strconv.Itoa(1<<shift) + " ticks a slot"
}

func (u *unordered) rows(int64) []Row { return []Row{one("list", listed(u.all))} }

func (o *ordered) rows(int64) []Row { return []Row{one("ordered list", listed(o.all))} }

func (h *binaryHeap) rows(int64) []Row {
	row := one("heap", h.all)
	row.Tree = true
	return []Row{row}
}

func (w *oneTurn) rows(now int64) []Row { return []Row{ring(ticksASlot(0), w.slots, now, due)} }

func (r *rounds) rows(now int64) []Row {
	return []Row{ring("slot = tick mod 8", r.slots, now, func(to *Timeout) string {
		return due(to) + " r" + strconv.FormatInt(to.rounds, 10)
	})}
}

func (r *sortedRounds) rows(now int64) []Row {
	return []Row{ring("slot = tick mod 8", r.slots, now, due)}
}

func (h *hierarchy) rows(now int64) []Row {
	rows := []Row{ring(ticksASlot(0), h.near, now, due)}
	for k, slots := range h.far {
		rows = append(rows, ring(ticksASlot(h.shift(k)), slots, now>>h.shift(k), due))
	}
	return rows
}

func (w *lazyLevels) rows(now int64) (rows []Row) {
	for _, l := range w.levels {
		var heads []*Timeout
		for _, s := range l.slots {
			heads = append(heads, s.all)
		}
		rows = append(rows, ring(ticksASlot(l.shift), heads, now>>l.shift, due))
	}
	queue := Row{Name: "heap of slots: first ticks", Tree: true, Ticks: true}
	for _, s := range w.reached {
		queue.Slots = append(queue.Slots, Slot{Timeouts: []string{strconv.FormatInt(s.start, 10)}})
	}
	return append(rows, queue)
}

func (w *withoutMoves) rows(now int64) (rows []Row) {
	for k, slots := range w.levels {
		rows = append(rows, ring(ticksASlot(levelShift*k), slots, now>>(levelShift*k), due))
	}
	return rows
}
