package keyed

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A shard is a part of the keys, with a lock of its own.
//
// An entry is reached through its shard's map and through the timer. While it is in the
// map, all that changes in it, and every arming of its Timeout, happens under mu;
// whoever takes it out, under mu, ends its value and has it alone. One race is left: a
// call that arms, and a run that has begun. The run takes mu and looks at the Timeout's
// state. It is Expired if nothing has armed it since; else there was a later arming, which
// brings a run of its own.
//
// mu is not held while user code runs: expired, the body of an All, Drain's function, the
// timer's Clock. The timer's own lock may be taken under mu, never the other way round.
type shard[K comparable, V any] struct {
	owner *Map[K, V] // set by New, then read only

	mu    sync.Mutex
	table table[K, V] // guarded by mu

	_ [88]byte // 128 in all: no two shards share a cache line, nor a pair of lines that is fetched together
}

// An entry is a key that is in a map, or was: it leaves for good.
type entry[K comparable, V any] struct {
	key     K                   // read only; beside the word of timeout, with which it is read
	timeout hashedwheel.Timeout // armed and moved under home's lock only
	value   V                   // guarded by home's lock; not last, where one of no size would be padded

	// home is the shard whose map the entry is in; nil once it has left. Changed
	// under that shard's lock.
	home atomic.Pointer[shard[K, V]]
}

// insert puts a new key in, unless the timer refuses it. The caller holds mu: so
// the entry is in the map before Run looks for it, however soon it is due.
func (s *shard[K, V]) insert(hash uint64, k K, v V, at time.Time) error {
	if isNaN(k) {
		panic("keyed: Set with a key that is not equal to itself")
	}
	e := &entry[K, V]{key: k, value: v}
	e.home.Store(s)
	e.timeout.Init(s.owner.timer, e)
	if err := e.move(at); err != nil {
		return err
	}
	s.table.put(hash, e)
	return nil
}

// isNaN reports whether k is a NaN, or has one in it.
func isNaN[K comparable](k K) bool {
	same := k
	return k != same
}

// take takes e, whose key has that hash, out of the map and returns its value, which ends
// here. The caller holds mu, and e is in the map.
func (s *shard[K, V]) take(hash uint64, e *entry[K, V]) V {
	s.table.remove(hash, e)
	e.home.Store(nil)
	v := e.value
	var zero V
	e.value = zero // let the collector have it, though the wheel keeps e for a tick or two
	return v
}

// move arms e, or moves it, to be due at a time, or returns why the timer refuses.
// The caller holds home's lock.
//
// A timeout that is pending is never refused by a full timer, only by one that has
// been stopped.
func (e *entry[K, V]) move(at time.Time) error {
	e.timeout.ResetAt(at)
	return e.timeout.Err()
}

// due reports whether e's time has come and no call has moved it since. The caller
// holds home's lock.
//
// ErrFull tells of a call that found the time come and could not move it. ErrStopped may
// have been of a call that found it pending: what a stopped timer holds stays.
func (e *entry[K, V]) due() bool {
	return e.timeout.State() == hashedwheel.Expired || e.timeout.Err() == hashedwheel.ErrFull
}

// Run is called by the timer when e's time has come. It looks once more under the
// lock: by then the key may have been deleted, set or touched.
func (e *entry[K, V]) Run(*hashedwheel.Timeout) {
	s := e.home.Load()
	if s == nil {
		return
	}
	_, hash := s.owner.shardOf(e.key)
	s.mu.Lock()
	if e.home.Load() == nil || !e.due() {
		s.mu.Unlock()
		return
	}
	v := s.take(hash, e)
	s.mu.Unlock()
	s.owner.expired(e.key, v)
}
