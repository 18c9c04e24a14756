package keyed

import "unsafe"

// Collide limits the keys of an empty Map to a number of hashes, a power of two; 0 allows all.
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

// Lock locks the shard of a Map that has one.
func (m *Map[K, V]) Lock() (unlock func()) { return m.dir.lock(0).mu.Unlock }

// Drop returns the worker's drop of the entry of k from the shard that has k now.
func (m *Map[K, V]) Drop(k K) (drop func() bool) {
	hash := m.hash(k)
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.table.find(hash, k)
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.drop(e)
	}
}

// EntrySize returns how many bytes an entry is.
func EntrySize[K comparable, V any]() uintptr { return unsafe.Sizeof(entry[K, V]{}) }

// ShardSize returns how many bytes a shard is.
func ShardSize[K comparable, V any]() uintptr { return unsafe.Sizeof(shard[K, V]{}) }
