package hashedwheel

import (
	"math/bits"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// buckets are the slots of a level. A slot holds timeouts in no order, in chunks of pointers. A linked list would be
// simpler, but the collector marks a list node by node, on one processor (golang/go#73581), and each change of a list
// waits for a neighbor's memory.
//
// A timeout's home names the entry that points at the timeout. Each use of one checks it against the other, and so
// detects a timeout that was copied or overwritten.
type buckets struct {
	slots  []slot
	spares *spares
}

type slot struct {
	last []*Timeout   // the last chunk, nil if the slot is empty
	full [][]*Timeout // the chunks before it
}

const (
	chunkLen = limits.Chunk

	// The first capacity of a slot's index of full chunks: 768 bytes. Since Go 1.26 the collector defers objects of up
	// to 512 bytes (golang/go#73581), and would then return to pages of timeouts that it has already read.
	indexLen = 32
)

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

// add appends t to slot i.
func (b *buckets) add(i int, t *Timeout) {
	s := &b.slots[i]
	if len(s.last) == cap(s.last) {
		b.grow(s)
	}
	s.last = append(s.last, t)
}

// grow doubles the last chunk of a slot, so that few timeouts take little memory, or appends a new chunk of full size
// once the last is full.
func (b *buckets) grow(s *slot) {
	last := s.last
	if len(last) < chunkLen {
		s.last = append(b.spares.take(max(2, 2*len(last))), last...)
		clear(last)
		b.spares.give(last[:0])
		return
	}
	if s.full == nil {
		s.full = make([][]*Timeout, 0, indexLen)
	}
	s.full = append(s.full, last)
	s.last = b.spares.take(chunkLen)
}

// drop removes the last entry of slot i, and returns its timeout.
func (b *buckets) drop(i int) *Timeout {
	s := &b.slots[i]
	n := len(s.last) - 1
	t := s.last[n]
	s.last[n] = nil // let the collector have it
	s.last = s.last[:n]
	if n == 0 {
		b.dropChunk(s)
	}
	return t
}

// dropChunk removes the last chunk of a slot, which is empty.
func (b *buckets) dropChunk(s *slot) {
	b.spares.give(s.last)
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

// spares keeps chunks that buckets have emptied or outgrown, by the logarithm of their capacity, so that a steady load
// allocates nothing under the lock. The chunks are empty, and at most 56 KiB together.
type spares [10][][]*Timeout

// maxSpares returns how many chunks of a capacity are kept: four, since slots of a few neighboring ticks fill while the
// slots before them empty, but dozens of small chunks, since that many empty between two takes of the queue (in 24,000
// calls of 200 reused timeouts, 11 objects are allocated, not 1,000).
func maxSpares(capacity int) int { return max(4, chunkLen/capacity) }

func (s *spares) of(size int) *[][]*Timeout { return &s[bits.Len(uint(size-1))] }

// take returns an empty chunk for size timeouts, at most chunkLen. If there is no spare, it allocates under the lock,
// which may trigger GC assist. That happens in a burst of armings, not under a steady load.
func (s *spares) take(size int) []*Timeout {
	size = min(size, chunkLen)
	some := s.of(size)
	n := len(*some) - 1
	if n < 0 {
		return make([]*Timeout, 0, size)
	}
	chunk := (*some)[n]
	*some = (*some)[:n]
	return chunk
}

func (s *spares) give(empty []*Timeout) {
	if cap(empty) == 0 {
		return
	}
	some := s.of(cap(empty))
	if len(*some) < maxSpares(cap(empty)) {
		*some = append(*some, empty)
	}
}
