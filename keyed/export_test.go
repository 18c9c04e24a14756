package keyed

import "unsafe"

// Collide leaves the keys of an empty Map so many hashes, a power of two, or with 0 all.
func (m *Map[K, V]) Collide(hashes uint64) { m.hashBits = hashes - 1 }

// Split splits each shard, unless its range is too narrow.
func (m *Map[K, V]) Split() {
	for i := range m.dir.index.Load().shards {
		s := m.dir.index.Load().shards[i].Load()
		s.mu.Lock()
		m.dir.split(s)
		s.mu.Unlock()
	}
}

// Shards returns how many shards a Map has.
func (m *Map[K, V]) Shards() int {
	different := map[*shard[K, V]]bool{}
	x := m.dir.index.Load()
	for i := range x.shards {
		different[x.shards[i].Load()] = true
	}
	return len(different)
}

// LongestChain returns the largest number of entries with one hash.
func (m *Map[K, V]) LongestChain() (longest int) {
	count := map[uint64]int{}
	m.each(func(*shard[K, V], *entry[K, V]) (v V) { return v }, func(e *entry[K, V], _ V) bool {
		count[e.hash]++
		longest = max(longest, count[e.hash])
		return true
	})
	return longest
}

// EntrySize returns how many bytes an entry is.
func EntrySize[K comparable, V any]() uintptr { return unsafe.Sizeof(entry[K, V]{}) }

// ShardSize returns how many bytes a shard is.
func ShardSize[K comparable, V any]() uintptr { return unsafe.Sizeof(shard[K, V]{}) }
