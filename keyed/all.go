package keyed

import "iter"

// All returns an iterator over the keys and their values. It sees each key that is
// there throughout the loop once. One that comes or goes meanwhile may be seen or not; one that
// is deleted and set anew may be seen again. The value is the one that the key has when the
// loop comes to it.
//
// The body of the loop is called without a lock and may do anything, for as long as it
// likes: delete the key or any other, set new ones, drain the map, leave the loop. All
// makes no copy: it takes no memory, and one lock of a shard a key.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i := range m.shards {
			if !m.shards[i].all(yield) {
				return
			}
		}
	}
}

// all calls yield for each entry, and reports false if that asked for an end.
//
// The lock is held whenever the loop takes a step, and released for the body. For the
// Go maps that is the same as one goroutine that changes them within its loop, which the
// language allows. A map that shrink has replaced meanwhile still shows entries that have
// left since: those have no home.
func (s *shard[K, V]) all(yield func(K, V) bool) bool {
	s.mu.Lock()
	for e := range s.table.all {
		if e.home.Load() == nil {
			continue
		}
		v := e.value
		s.mu.Unlock()
		if !yield(e.key, v) { // may panic, too: the lock is not held
			return false
		}
		s.mu.Lock()
	}
	s.mu.Unlock()
	return true
}

// Drain takes all out and calls f for each, one after another, in the calling
// goroutine. No lock is held, and f may use the map at will. expired is not called for
// what f gets.
//
// What was set before Drain began has ended when it returns: f was called for it, or it
// expired, or was deleted or replaced meanwhile. What is set meanwhile may stay, unless
// the timer was stopped before: then nothing is set any more.
// If f panics, the rest stays in the map, and expires as if there had been no Drain.
func (m *Map[K, V]) Drain(f func(K, V)) {
	if f == nil {
		panic("keyed: Drain with a nil func")
	}
	for k := range m.All() {
		if v, ok := m.Delete(k); ok {
			f(k, v)
		}
	}
}
