package keyed

import "unsafe"

// Collide gives all keys of a Map that is still empty the same hash.
func (m *Map[K, V]) Collide() { m.hashBits = 0 }

// EntrySize returns how many bytes an entry is.
func EntrySize[K comparable, V any]() uintptr { return unsafe.Sizeof(entry[K, V]{}) }
