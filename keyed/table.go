package keyed

// A table finds the entries of a shard by the hash of their key, which the caller computed before it took the lock: a
// Go map of numbers never hashes or compares keys, and grows without reading them. Entries whose keys have the same
// hash are chained by their twin links: of 40 million maps with a million keys each, about one has such keys. The
// shard's lock guards all fields.
type table[K comparable, V any] struct {
	entries map[uint64]*entry[K, V] // the newest entry of each hash
	count   int                     // of all entries
	peak    int                     // the largest length of entries since the map was made
}

// find returns the entry of k, or nil.
func (t *table[K, V]) find(hash uint64, k K) *entry[K, V] {
	e := t.entries[hash]
	for e != nil && e.key != k {
		e = e.twin
	}
	return e
}

// has reports whether e is in the table.
func (t *table[K, V]) has(e *entry[K, V]) bool {
	other := t.entries[e.hash]
	for other != nil && other != e {
		other = other.twin
	}
	return other == e
}

// current returns e, or the entry that has its key if e has left, or nil.
func (t *table[K, V]) current(e *entry[K, V]) *entry[K, V] {
	if t.has(e) {
		return e
	}
	return t.find(e.hash, e.key)
}

// chain appends the entries of a hash to all.
func (t *table[K, V]) chain(all []*entry[K, V], hash uint64) []*entry[K, V] {
	for e := t.entries[hash]; e != nil; e = e.twin {
		all = append(all, e)
	}
	return all
}

// put adds e. If there is an older entry with the same key, the caller removes it.
func (t *table[K, V]) put(e *entry[K, V]) {
	e.twin = t.entries[e.hash]
	t.place(e)
	t.count++
}

// place makes e the first entry of its hash.
func (t *table[K, V]) place(e *entry[K, V]) {
	if t.entries == nil {
		t.entries = make(map[uint64]*entry[K, V])
	}
	t.entries[e.hash] = e
	t.peak = max(t.peak, len(t.entries))
}

// remove takes out e, which is in the table.
func (t *table[K, V]) remove(e *entry[K, V]) {
	first := t.entries[e.hash]
	switch {
	case first != e:
		for first.twin != e {
			first = first.twin
		}
		first.twin = e.twin
	case e.twin != nil:
		t.entries[e.hash] = e.twin
	default:
		delete(t.entries, e.hash)
		t.shrink()
	}
	e.twin = nil // let the collector have it
	t.count--
}

// adopt adds e and its twins, which another table had.
func (t *table[K, V]) adopt(e *entry[K, V]) {
	t.place(e)
	for ; e != nil; e = e.twin {
		t.count++
	}
}

// shrink makes a smaller Go map once this one is nearly empty: a Go map never gives memory back. It takes the time to
// move an eighth of the peak.
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
