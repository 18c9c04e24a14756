package keyed

import (
	"iter"
	"maps"
	"math"
	"slices"
)

// All returns an iterator over the keys and their values. It yields each key that is in the map throughout the loop
// exactly once. A key that is set or deleted during the loop may be missing; a key that is deleted and set again may be
// yielded twice. The value is the key's value at that moment.
//
// The loop body runs without a lock. All makes no copy: it takes no memory, and locks a shard twice for each key.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.check()
	return func(yield func(K, V) bool) {
		value := func(_ *shard[K, V], e *entry[K, V]) (V, bool) { return e.value, !m.hasExpired(e) }
		m.each(value, func(e *entry[K, V], v V) bool { return yield(e.key, v) })
	}
}

// Drain removes all values and calls f with each key and value, one after another, in the calling goroutine, including
// expired values for which expired has not been called yet: a key may have such values in addition to its new one. No
// lock is held. expired is not called for the values that f gets.
//
// When Drain returns, every value that was set before it began has ended. A value that is set while Drain runs may
// stay, unless the timer was stopped before: then Set returns ErrStopped. Drain does not wait for a call of expired
// that has begun; Timer.Shutdown does. If f panics, the other values stay in the map, and expire as if Drain had not
// been called.
func (m *Map[K, V]) Drain(f func(K, V)) {
	m.check()
	if f == nil {
		panic("keyed: Drain with a nil func")
	}
	end := func(e *entry[K, V], v V) bool {
		e.timeout.Stop()
		f(e.key, v)
		return true
	}
	m.each(func(s *shard[K, V], e *entry[K, V]) (V, bool) { return s.take(e), true }, end)
	m.drainSuperseded(end) // after the tables: an entry of a table may be superseded while this runs
}

// drainSuperseded takes out the superseded entries, shard by shard.
func (m *Map[K, V]) drainSuperseded(end func(*entry[K, V], V) bool) {
	for hash := uint64(0); ; hash++ {
		s := m.dir.lock(hash)
		entries := slices.Collect(maps.Keys(s.superseded))
		hash = s.last
		s.mu.Unlock()
		for _, e := range entries {
			if v, ok := e.takeIfIn(); ok {
				end(e, v)
			}
		}
		if hash == math.MaxUint64 {
			return
		}
	}
}

// each calls look for each entry, with its shard locked. If look returns true, each then calls visit with the result,
// without a lock, until visit returns false or panics.
//
// The lock is held while the loop over the Go map takes a step, and released for visit. To the Go map, that looks like
// one goroutine that changes it within its loop, which the language allows. A Go map that shrink or split has since
// replaced still has hashes whose keys have left.
func (m *Map[K, V]) each(
	look func(*shard[K, V], *entry[K, V]) (V, bool), visit func(*entry[K, V], V) bool,
) {
	var chain []*entry[K, V]
	for first := uint64(0); ; {
		s := m.dir.lock(first)
		last := s.last
		for hash := range s.table.entries {
			home := m.dir.follow(s, hash)
			chain = home.table.chain(chain[:0], hash)
			for i, e := range chain {
				if i > 0 { // the lock was released after the chain was read
					e = home.table.current(e)
				}
				if e == nil {
					continue
				}
				v, ok := look(home, e)
				home.mu.Unlock()
				if ok && !visit(e, v) {
					return
				}
				home = m.dir.lock(hash)
			}
			home.mu.Unlock()
			s.mu.Lock()
		}
		s.mu.Unlock()
		if last == math.MaxUint64 {
			return
		}
		first = last + 1
	}
}
