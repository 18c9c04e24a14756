package keyed

// Collide gives all keys of a Map that is still empty the same hash.
func (m *Map[K, V]) Collide() { m.hashBits = 0 }
