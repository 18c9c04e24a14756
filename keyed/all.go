package keyed

import (
	"iter"
	"math"
)

// All returns an iterator over the keys and their values. It yields each key that is in the map
// throughout the loop once. A key that is set or deleted during the loop may be missing; a key that
// is deleted and set again may be yielded twice. The value is the key's value at that moment.
//
// The loop body runs without a lock, and may take long and use the map: delete any key, set new
// keys, drain the map, leave the loop. All makes no copy: it takes no memory, and locks a shard
// once for each key.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.check()
	return func(yield func(K, V) bool) {
		m.each(func(e *entry[K, V], v V) bool { return yield(e.key, v) })
	}
}

// each calls visit for each entry, without a lock, until visit returns false.
func (m *Map[K, V]) each(visit func(*entry[K, V], V) bool) {
	for hash := uint64(0); ; {
		last, ok := m.eachFrom(hash, visit)
		if !ok || last == math.MaxUint64 {
			return
		}
		hash = last + 1
	}
}

// eachFrom is each for the shard of a hash. It returns the last hash that the shard had when the
// loop reached it.
//
// The lock is held while the loop takes a step, and released for visit. To the Go maps that looks
// like one goroutine that changes them within its loop, which the language allows. A Go map that
// shrink or split has replaced since still has entries that have left.
func (m *Map[K, V]) eachFrom(hash uint64, visit func(*entry[K, V], V) bool) (last uint64, ok bool) {
	s := m.dir.lock(hash)
	last = s.last
	for e := range s.table.all {
		var v V
		there := e.home.Load() == s
		if there {
			v = e.value
		}
		s.mu.Unlock()
		if !there {
			v, there = e.read()
		}
		if there && !visit(e, v) { // visit may also panic: the lock is not held
			return last, false
		}
		s.mu.Lock()
	}
	s.mu.Unlock()
	return last, true
}

// read returns the value of an entry, or false if it has left.
func (e *entry[K, V]) read() (v V, ok bool) {
	if !e.isThere() {
		return v, false
	}
	s := e.lock()
	defer s.mu.Unlock()
	return e.value, !s.isNowhere()
}

// Drain removes all keys and calls f with each key and value, one after another, in the calling
// goroutine. No lock is held, and f may use the map. expired is not called for these values.
//
// When Drain returns, every value that was set before it began has ended: f was called with it, or
// it expired, or another goroutine deleted or replaced it. A value that is set while Drain runs may
// stay, unless the timer was stopped before: then Set returns ErrStopped. If f panics, the other
// values stay in the map, and expire as if Drain had not been called.
func (m *Map[K, V]) Drain(f func(K, V)) {
	m.check()
	if f == nil {
		panic("keyed: Drain with a nil func")
	}
	m.each(func(e *entry[K, V], _ V) bool {
		if v, ok := e.end(always); ok {
			e.timeout.Stop()
			f(e.key, v)
		}
		return true
	})
}

func always() bool { return true }
