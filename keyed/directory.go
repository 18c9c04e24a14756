package keyed

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// A directory holds the shards of a Map. Each shard holds the keys whose hash is in its range. A directory begins with
// one shard and splits a shard that has too many keys, so a map of few keys is small on any number of processors.
// (Extendible hashing: Fagin, Nievergelt, Pippenger and Strong, 1979.) Drawn with splits in two:
//
//	hash  0        1/4       1/2                 1
//	index │ s0     │ s1      │ s2      │ s2      │   s2 has not been split as often as s0
type directory[K comparable, V any] struct {
	index  atomic.Pointer[index[K, V]] // replaced under mu by an index twice as long
	narrow uint                        // a range of this many bits is not split
	mu     sync.Mutex                  // guards the contents of index; taken under a shard's lock
}

// An index has a place for each value of the upper bits of a hash.
type index[K comparable, V any] struct {
	shift  uint // hash>>shift is the place
	shards []atomic.Pointer[shard[K, V]]
}

const (
	// shardsPerProcessor is the limit. A goroutine that files part of the timer's queue holds its shard for about 100
	// µs, while another goroutine makes a few hundred calls: with 8 or 32 shards the other soon waited for that shard.
	shardsPerProcessor = 128

	keysBeforeSplit  = 64 // a shard with more keys is split
	waitsBeforeSplit = 4  // a shard that this many calls have waited for is split, even if it has few keys
	partsOfSplit     = 16 // a key is moved two or three times until the map has all its shards
)

func newDirectory[K comparable, V any](m *Map[K, V]) *directory[K, V] {
	d := &directory[K, V]{narrow: 64}
	for n := 1; n < shardsPerProcessor*runtime.GOMAXPROCS(0); n *= 2 {
		d.narrow--
	}
	first := &index[K, V]{shift: 64, shards: make([]atomic.Pointer[shard[K, V]], 1)}
	first.shards[0].Store(&shard[K, V]{owner: m, last: math.MaxUint64})
	d.index.Store(first)
	return d
}

// shard returns the shard for a hash, which may be split at any time.
func (d *directory[K, V]) shard(hash uint64) *shard[K, V] {
	index := d.index.Load()
	return index.shards[hash>>index.shift].Load()
}

// lock returns the shard for a hash, locked.
func (d *directory[K, V]) lock(hash uint64) *shard[K, V] {
	for {
		s := d.shard(hash)
		if !s.mu.TryLock() {
			d.await(s, hash)
		}
		if s.covers(hash) {
			return s
		}
		s.mu.Unlock() // it was split in between
	}
}

// follow returns the shard for a hash that s, which the caller has locked, has or had: s itself, or, if s has been
// split, another shard. Then it unlocks s, and locks the other.
func (d *directory[K, V]) follow(s *shard[K, V], hash uint64) *shard[K, V] {
	if hash <= s.last {
		return s
	}
	s.mu.Unlock()
	return d.lock(hash)
}

// await locks a shard that another call holds. It splits the shard once calls for different keys have waited for it
// often.
func (d *directory[K, V]) await(s *shard[K, V], hash uint64) {
	s.mu.Lock()
	if s.rival == hash {
		return
	}
	s.rival = hash
	s.waits++
	if s.waits >= waitsBeforeSplit {
		d.split(s)
	}
}

// split gives s's range, except its first part, to new shards, unless the range is too narrow. The caller holds s.mu.
func (d *directory[K, V]) split(s *shard[K, V]) {
	n := min(partsOfSplit, (s.last-s.first)>>d.narrow+1)
	if n < 2 {
		return
	}
	width := (s.last-s.first)/n + 1
	parts := make([]*shard[K, V], n)
	parts[0] = s
	for i := range parts[1:] {
		first := s.first + uint64(i+1)*width
		parts[i+1] = &shard[K, V]{owner: s.owner, first: first, last: first + width - 1}
	}
	s.last, s.waits = s.first+width-1, 0
	s.divide(parts, width)
	d.put(parts[1:])
}

// put puts new shards, which are all equally wide, into the index.
func (d *directory[K, V]) put(parts []*shard[K, V]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	index := d.index.Load()
	for index.width() > parts[0].last-parts[0].first {
		index = index.doubled()
	}
	for _, s := range parts {
		for i := s.first >> index.shift; i <= s.last>>index.shift; i++ {
			index.shards[i].Store(s)
		}
	}
	d.index.Store(index)
}

// width returns the number of hashes that share a place, minus one.
func (x *index[K, V]) width() uint64 { return 1<<x.shift - 1 }

func (x *index[K, V]) doubled() *index[K, V] {
	twice := &index[K, V]{shift: x.shift - 1, shards: make([]atomic.Pointer[shard[K, V]], 2*len(x.shards))}
	for i := range twice.shards {
		twice.shards[i].Store(x.shards[i/2].Load())
	}
	return twice
}
