package hashedwheel

import (
	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// buckets are the slots of a level. A slot holds timeouts in no order, in chunks of pointers. A linked list would be
// shorter to write, but the collector marks a list node by node, on one processor (golang/go#73581), and each change
// of it waits for a neighbor's memory.
//
// A timeout's home names the entry that points at it. Both are compared whenever one of them is used, which finds a
// timeout that was copied or overwritten.
type buckets struct{ slots []slot }

type slot struct {
	last []*Timeout   // the last chunk, nil if the slot is empty
	full [][]*Timeout // the chunks before it
}

const (
	chunkLen = limits.Chunk

	// How many full chunks a slot has room for at first: 768 bytes. Since Go 1.26 the collector puts off objects of up
	// to 512 bytes (golang/go#73581), and would come from here to timeouts in pages that it has read before.
	indexLen = 32
)

func (b *buckets) init(slots int) { b.slots = make([]slot, slots) }

// len returns how many timeouts slot i holds.
func (b *buckets) len(i int) int {
	s := &b.slots[i]
	return chunkLen*len(s.full) + len(s.last)
}

// entry returns the entry of slot i with an index below len.
func (b *buckets) entry(i, index int) **Timeout {
	s, chunk, offset := &b.slots[i], index/chunkLen, index%chunkLen
	if chunk == len(s.full) {
		return &s.last[offset]
	}
	return &s.full[chunk][offset]
}

// add puts t behind all others of slot i.
func (b *buckets) add(i int, t *Timeout) {
	s := &b.slots[i]
	if len(s.last) == cap(s.last) {
		s.grow()
	}
	s.last = append(s.last, t)
}

// grow makes the last chunk twice as large, so that few timeouts take little, or puts a new full-sized chunk
// behind a full one.
func (s *slot) grow() {
	last := s.last
	if len(last) < chunkLen {
		s.last = append(make([]*Timeout, 0, min(max(2, 2*len(last)), chunkLen)), last...)
		return
	}
	if s.full == nil {
		s.full = make([][]*Timeout, 0, indexLen)
	}
	s.full = append(s.full, last)
	s.last = make([]*Timeout, 0, chunkLen)
}

// drop takes the last entry of slot i away, and returns its timeout.
func (b *buckets) drop(i int) *Timeout {
	s := &b.slots[i]
	n := len(s.last) - 1
	t := s.last[n]
	s.last[n] = nil // let the collector have it
	s.last = s.last[:n]
	if n == 0 {
		s.dropChunk()
	}
	return t
}

// dropChunk follows the last entry of the slot's last chunk.
func (s *slot) dropChunk() {
	s.last = nil
	before := len(s.full) - 1
	if before < 0 {
		return
	}
	s.last = s.full[before]
	s.full[before] = nil
	s.full = s.full[:before]
	if before == 0 {
		s.full = nil
	}
}
