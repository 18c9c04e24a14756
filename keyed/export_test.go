package keyed

import "unsafe"

// Collide makes all keys of an empty Map share one hash.
func (m *Map[K, V]) Collide() { m.hashBits = 0 }

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

// Twins returns the number of keys whose hash another key already had.
func (m *Map[K, V]) Twins() (n int) {
	x := m.dir.index.Load()
	for i := range x.shards {
		n += len(x.shards[i].Load().table.twins)
	}
	return n
}

// EntrySize returns how many bytes an entry is.
func EntrySize[K comparable, V any]() uintptr { return unsafe.Sizeof(entry[K, V]{}) }

// ShardSize returns how many bytes a shard is.
func ShardSize[K comparable, V any]() uintptr { return unsafe.Sizeof(shard[K, V]{}) }
