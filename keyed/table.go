package keyed

// A table finds the entries of a shard by the hash of their key, which the caller has computed
// before it took the lock: a Go map of numbers never hashes or compares keys, and grows without
// reading them. The shard's lock guards all fields.
//
// The bytes of a key may change, for example of a string over a reused buffer. Such a key is lost:
// no call finds it. Its entry stays until it expires, and must not block a new entry, so nothing
// here relies on a key to find a known entry.
type table[K comparable, V any] struct {
	entries map[uint64]*entry[K, V] // by hash
	left    int                     // number of entries that have left but are still in entries, because their key has changed
	twins   map[*entry[K, V]]uint64 // entries whose hash another key already had, with that hash
	lost    map[*entry[K, V]]uint64 // entries whose key has changed, and whose place another entry needed
	peak    int                     // the largest length of entries since the map was made
}

func (t *table[K, V]) len() int { return len(t.entries) - t.left + len(t.twins) + len(t.lost) }

// find returns the entry of k, or nil. A twin stays a twin even after the first key with its hash
// has left.
func (t *table[K, V]) find(hash uint64, k K) *entry[K, V] {
	if e := t.entries[hash]; e != nil && e.key == k && (t.left == 0 || e.isThere()) {
		return e
	}
	if len(t.twins) == 0 {
		return nil
	}
	return t.findTwin(hash, k)
}

// findTwin is the rare part of find: of 40 million maps with a million keys each, about one has two
// keys with the same 64-bit hash.
func (t *table[K, V]) findTwin(hash uint64, k K) *entry[K, V] {
	for e, itsHash := range t.twins {
		if itsHash == hash && e.key == k {
			return e
		}
	}
	return nil
}

// put adds e, whose key is not in the table.
func (t *table[K, V]) put(hash uint64, e *entry[K, V]) {
	if other := t.entries[hash]; other != nil && !t.makeWay(hash, other) {
		t.twins = with(t.twins, e, hash)
		return
	}
	t.place(hash, e)
}

// makeWay takes e out of its place if its key has changed: no call looks for it there.
func (t *table[K, V]) makeWay(hash uint64, e *entry[K, V]) bool {
	switch {
	case !e.isThere():
		t.left--
	case e.hash() != hash:
		t.lost = with(t.lost, e, hash)
	default:
		return false
	}
	return true
}

func (t *table[K, V]) place(hash uint64, e *entry[K, V]) {
	if t.entries == nil {
		t.entries = make(map[uint64]*entry[K, V])
	}
	t.entries[hash] = e
	t.peak = max(t.peak, len(t.entries))
}

// with returns m, or a new map if m is nil, with a value for k.
func with[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	if m == nil {
		m = make(map[K]V)
	}
	m[k] = v
	return m
}

// remove takes out e, which has left, and whose key has that hash now.
func (t *table[K, V]) remove(hash uint64, e *entry[K, V]) {
	if t.entries[hash] == e {
		delete(t.entries, hash)
		t.shrink()
		return
	}
	before := len(t.twins) + len(t.lost)
	delete(t.twins, e)
	delete(t.lost, e)
	if before == len(t.twins)+len(t.lost) {
		t.leave()
	}
}

// leave counts an entry whose place is unknown. Such entries are swept out once they are a quarter
// of all, so each costs visits to four entries.
func (t *table[K, V]) leave() {
	t.left++
	if t.left <= len(t.entries)/4 {
		return
	}
	for hash, e := range t.entries {
		if !e.isThere() {
			delete(t.entries, hash)
		}
	}
	t.left = 0
	t.shrink()
}

// shrink makes a smaller map once this one is nearly empty: a Go map never gives memory back. It
// takes the time to move an eighth of the map's peak.
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

// all calls visit for each entry until visit returns false. It works on a copy of the table: the
// maps may change during the loop, as any Go map may. If they are replaced, the loop continues over
// the old maps, which have all entries from before.
func (t table[K, V]) all(visit func(*entry[K, V]) bool) {
	for _, e := range t.entries {
		if !visit(e) {
			return
		}
	}
	for _, aside := range []map[*entry[K, V]]uint64{t.twins, t.lost} {
		for e := range aside {
			if !visit(e) {
				return
			}
		}
	}
}
