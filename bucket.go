package hashedwheel

import (
	"math/bits"

	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// buckets are the slots of a level. A slot holds timeouts in no order, in chunks of pointers. A linked list would be
// shorter to write, but the collector marks a list node by node, on one processor (golang/go#73581), and each change
// of it waits for a neighbor's memory.
//
// A timeout's home names the entry that points at it. Both are compared whenever one of them is used, which finds a
// timeout that was copied or overwritten.
type buckets struct {
	last   [][]*Timeout   // by slot: its last chunk, nil if it is empty
	full   [][][]*Timeout // by slot: the chunks before the last; in a small level nil until a slot has any
	spares *spares
}

const (
	chunkLen   = limits.Chunk
	smallLevel = 1 << 14 // full is made under the lock: for so many slots in less than 100 µs

	// How many full chunks a slot has room for at first: 768 bytes. Since Go 1.26 the collector puts off objects of up
	// to 512 bytes (golang/go#73581), and would come from here to timeouts in pages that it has read before.
	indexLen = 32
)

func (b *buckets) init(slots int, s *spares) {
	b.last = make([][]*Timeout, slots)
	b.spares = s
	if slots > smallLevel {
		b.full = make([][][]*Timeout, slots)
	}
}

// len returns how many timeouts slot i holds.
func (b *buckets) len(i int) int {
	if b.full == nil {
		return len(b.last[i])
	}
	return chunkLen*len(b.full[i]) + len(b.last[i])
}

// entry returns the entry of slot i with an index below len.
func (b *buckets) entry(i, index int) **Timeout {
	chunk, offset := index/chunkLen, index%chunkLen
	if b.full == nil || chunk == len(b.full[i]) {
		return &b.last[i][offset]
	}
	return &b.full[i][chunk][offset]
}

// add puts t behind all others of slot i.
func (b *buckets) add(i int, t *Timeout) {
	last := b.last[i]
	if len(last) == cap(last) {
		last = b.grow(i)
	}
	b.last[i] = append(last, t)
}

// grow returns slot i's last chunk with room for more: twice as large, so that few timeouts take little, or a new
// full-sized chunk behind a full one.
func (b *buckets) grow(i int) []*Timeout {
	last := b.last[i]
	if len(last) < chunkLen {
		larger := append(b.spares.take(max(2, 2*len(last))), last...)
		clear(last)
		b.spares.give(last[:0])
		return larger
	}
	if b.full == nil {
		b.full = make([][][]*Timeout, len(b.last))
	}
	if b.full[i] == nil {
		b.full[i] = make([][]*Timeout, 0, indexLen)
	}
	b.full[i] = append(b.full[i], last)
	return b.spares.take(chunkLen)
}

// drop takes the last entry of slot i away, and returns its timeout.
func (b *buckets) drop(i int) *Timeout {
	last := b.last[i]
	n := len(last) - 1
	t := last[n]
	last[n] = nil // let the collector have it
	b.last[i] = last[:n]
	if n == 0 {
		b.dropChunk(i)
	}
	return t
}

// dropChunk follows the last entry of slot i's last chunk.
func (b *buckets) dropChunk(i int) {
	b.spares.give(b.last[i])
	b.last[i] = nil
	if b.full == nil || len(b.full[i]) == 0 {
		return
	}
	before := len(b.full[i]) - 1
	b.last[i] = b.full[i][before]
	b.full[i][before] = nil
	b.full[i] = b.full[i][:before]
	if before == 0 {
		b.full[i] = nil
	}
}

// spares keeps chunks that buckets have emptied or outgrown, by the logarithm of their capacity, so that a steady load
// allocates nothing under the lock. The chunks hold no timeouts, and are at most 32 KiB together.
type spares [10][][]*Timeout

const maxSpares = 4 // of a capacity: slots of a few neighboring ticks fill while those before them empty

func (s *spares) of(size int) *[][]*Timeout { return &s[bits.Len(uint(size-1))] }

// take returns an empty chunk for size timeouts, at most chunkLen. Without a spare it allocates under the lock, and may
// have to help the collector there: in a burst of armings, not in a steady load.
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
	if len(*some) < maxSpares {
		*some = append(*some, empty)
	}
}

// home is where a timeout is: the kind in the low bits; for the wheel above it the index of the slot, and above that
// the index in the slot; for the batch the index in it.
type home uint64

const (
	kindBits = 4 // a wheel has at most 13 levels, since each ring reaches 32 times as far as the one below
	slotBits = 24

	unfiled = 0 // neither in the wheel nor in the batch; perhaps queued, or held
	inBatch = 1 // being handed out
	inWheel = 2 // 2+k: in level k
)

// This does not compile if a slot's index needs more bits.
const _ = uint(1<<slotBits - maxWheelSize)

func homeIn(kind, slot, index int) home {
	return home(index)<<(slotBits+kindBits) | home(slot)<<kindBits | home(kind)
}

func (h home) kind() int  { return int(h & (1<<kindBits - 1)) }
func (h home) level() int { return h.kind() - inWheel }
func (h home) slot() int  { return int(h >> kindBits & (1<<slotBits - 1)) }
func (h home) index() int { return int(h >> (slotBits + kindBits)) }

// misused panics because of a Timeout that is not where the wheel left it.
func misused(t *Timeout) {
	owner := "that has been cleared"
	if t != nil && t.task != nil {
		owner = "of a " + taskname.Of(t.task)
	}
	panic("hashedwheel: Timeout " + owner + " was copied or overwritten after it was armed")
}
