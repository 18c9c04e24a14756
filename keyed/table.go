package keyed

// A table finds the entries of a shard by the hash of their key, which the caller has
// computed before it took the lock: a Go map of numbers hashes no key again, compares none,
// and grows without looking at them. All of it is guarded by the shard's lock.
type table[K comparable, V any] struct {
	entries map[uint64]*entry[K, V] // by hash
	twins   map[K]*entry[K, V]      // keys that found their hash taken; nil until one did
	peak    int                     // the most entries since the map was made
}

func (t *table[K, V]) len() int { return len(t.entries) + len(t.twins) }

// find returns the entry of k, or nil. A twin is one even when the key that had its hash
// first has left.
func (t *table[K, V]) find(hash uint64, k K) *entry[K, V] {
	if e := t.entries[hash]; e != nil && e.key == k {
		return e
	}
	return t.twins[k]
}

// put adds e, whose key is not there.
func (t *table[K, V]) put(hash uint64, e *entry[K, V]) {
	if t.entries[hash] != nil {
		t.putTwin(e)
		return
	}
	if t.entries == nil {
		t.entries = make(map[uint64]*entry[K, V])
	}
	t.entries[hash] = e
	t.peak = max(t.peak, len(t.entries))
}

// putTwin is the part of put that hardly ever happens: a million keys are all different in
// 64 bits but for once in some 40 million maps.
func (t *table[K, V]) putTwin(e *entry[K, V]) {
	if t.twins == nil {
		t.twins = make(map[K]*entry[K, V])
	}
	t.twins[e.key] = e
}

// remove takes e out, which is there.
func (t *table[K, V]) remove(hash uint64, e *entry[K, V]) {
	if t.entries[hash] != e {
		delete(t.twins, e.key)
		return
	}
	delete(t.entries, hash)
	t.shrink()
}

// shrink makes a smaller map once this one is nearly empty: a Go map never gives
// memory back by itself. It takes the time to move an eighth of what the map has held.
func (t *table[K, V]) shrink() {
	const worthwhile = 16
	if t.peak < worthwhile || len(t.entries) > t.peak/8 {
		return
	}
	entries := make(map[uint64]*entry[K, V], len(t.entries))
	for hash, e := range t.entries {
		entries[hash] = e
	}
	t.entries, t.peak = entries, len(entries)
}

// all calls visit for each entry until that returns false. The table may be changed in
// between as a Go map may in its loop. If shrink puts another map in its place, the loop goes
// on over the old one, which has all that were there by then.
func (t *table[K, V]) all(visit func(*entry[K, V]) bool) {
	for _, e := range t.entries {
		if !visit(e) {
			return
		}
	}
	for _, e := range t.twins {
		if !visit(e) {
			return
		}
	}
}
