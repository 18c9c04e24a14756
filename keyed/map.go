package keyed

import (
	"hash/maphash"
	"math"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A Map holds a value for each key, and a time at which the value expires. It is made by
// New and must not be copied. It has no goroutine, and needs no closing: an empty one that
// nobody uses is garbage. Drain empties it.
//
// All methods are safe for concurrent use, from inside expired and from inside the
// loops of All and Drain too.
type Map[K comparable, V any] struct {
	timer   *hashedwheel.Timer
	expired func(K, V)
	seed    maphash.Seed
	shards  []shard[K, V] // a power of two of them

	hashBits uint64 // those of a key's hash that count: all, but in tests that make keys share one
}

// shardsPerProcessor makes it unlikely that two goroutines want the same shard at the same
// time. One that files a part for the timer's worker keeps its shard for some 100 µs, in which
// another makes a few hundred calls: with 8 or 32 shards it soon waited for that one.
const shardsPerProcessor = 128

// New returns an empty Map whose values expire by tm. It panics if tm or expired is
// nil.
//
// expired is called once for each value whose time has come, as a task of tm: by
// tm's Executor, by default in a goroutine. No lock is held, the key is no longer in
// the map, and the map may be used at will. A panic in it is handled as that of any
// task of tm.
func New[K comparable, V any](tm *hashedwheel.Timer, expired func(K, V)) *Map[K, V] {
	if tm == nil {
		panic("keyed: New with a nil Timer")
	}
	if expired == nil {
		panic("keyed: New with a nil func")
	}
	n := 1
	for n < shardsPerProcessor*runtime.GOMAXPROCS(0) {
		n *= 2
	}
	m := &Map[K, V]{timer: tm, expired: expired, seed: maphash.MakeSeed(), shards: make([]shard[K, V], n), hashBits: math.MaxUint64}
	for i := range m.shards {
		m.shards[i].owner = m
	}
	return m
}

// Set gives k the value v, which expires d from now; at the next tick if d is zero or
// negative. It replaces a value that k had before: expired is not called for that, even
// if its time had come.
//
// If the timer is stopped or full, Set returns hashedwheel.ErrStopped or ErrFull and
// changes nothing: what k had before keeps its value and its time. A full timer
// refuses new keys only, and those whose time has come: what is pending is moved.
//
// One allocation for a new key, besides the growth of a Go map; none for one that is
// there. Set panics if k is not equal to itself, as NaN is not: nobody could find it
// again.
func (m *Map[K, V]) Set(k K, v V, d time.Duration) error {
	s, hash := m.shardOf(k)
	at := m.in(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.table.find(hash, k); e != nil {
		if err := e.move(at); err != nil {
			return err
		}
		e.value = v
		return nil
	}
	return s.insert(hash, k, v, at)
}

// Get returns the value of k, and whether k is there. It does not move k's time. A value
// is there until expired is called for it, which may be a tick after its time, or more if
// the Executor is busy.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	s, hash := m.shardOf(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.table.find(hash, k)
	if e == nil {
		return v, false
	}
	return e.value, true
}

// Touch moves the time of k to d from now, earlier or later, and reports whether it
// did: true means that expired is not called before that time. It is false if k is
// not there, and if the timer refuses: a stopped one always, a full one when k's
// time has come. What is refused changes nothing, and Get may still find k.
//
// No allocation.
func (m *Map[K, V]) Touch(k K, d time.Duration) bool {
	s, hash := m.shardOf(k)
	at := m.in(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.table.find(hash, k)
	return e != nil && e.move(at) == nil
}

// Delete takes k out and returns its value. True means that this call did, and that
// expired is not called for it.
func (m *Map[K, V]) Delete(k K) (v V, ok bool) {
	s, hash := m.shardOf(k)
	s.mu.Lock()
	e := s.table.find(hash, k)
	if e == nil {
		s.mu.Unlock()
		return v, false
	}
	v = s.take(hash, e)
	s.mu.Unlock()
	e.timeout.Stop()
	return v, true
}

// Len returns how many keys are there. It counts one shard after the other: exact,
// but for calls under way in other goroutines.
func (m *Map[K, V]) Len() (n int) {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		n += s.table.len()
		s.mu.Unlock()
	}
	return n
}

// shardOf returns the shard of k, and the hash by which it finds k.
func (m *Map[K, V]) shardOf(k K) (s *shard[K, V], hash uint64) {
	hash = maphash.Comparable(m.seed, k) & m.hashBits
	return &m.shards[hash&uint64(len(m.shards)-1)], hash
}

// in returns the time d from now. It is called without a lock: the clock may be the
// user's.
func (m *Map[K, V]) in(d time.Duration) time.Time { return m.timer.Now().Add(d) }
