package keyed

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A shard has the keys whose hash is in its range, with a separate lock.
//
// An entry is reached through its shard's table and through the timer. While it is in the table, all
// its changes, and all armings of its Timeout, are made under mu. The call that takes it out, under
// mu, ends its value. One race is left, between a call that arms and a run that has begun. The run
// takes mu and reads the Timeout's state: Expired if there was no arming since; otherwise the later
// arming has a run to come.
//
// mu is not held while user code runs: expired, the body of an All, Drain's function, the
// timer's Clock. The timer's own lock may be taken under mu, never the other way round.
type shard[K comparable, V any] struct {
	mu    sync.Mutex // guards all but owner
	owner *Map[K, V] // read only

	// kept has the deadlines of entries that the timer refused to move: their Timeouts have the
	// refused deadline. It is nil until the first refusal.
	kept map[*entry[K, V]]time.Time

	first uint64      // the range of hashes, which a split makes narrower
	last  uint64      // belongs to the range
	table table[K, V] // the fields that each call reads are first, in the cache line of mu

	rival uint64 // the hash of the last key for which a call waited for mu
	waits uint32 // calls that waited for mu, each for another key than the call before

	_ [32]byte // 128 in all: no two shards share a cache line, nor a pair of lines that is fetched together
}

// An entry is a key in a map, or a key that has left it: an entry never returns.
type entry[K comparable, V any] struct {
	key     K                   // read only
	value   V                   // guarded by home's lock; placed between key and timeout, with which it is read
	timeout hashedwheel.Timeout // armed and moved under home's lock only

	// home is the shard that has the entry; nowhere once the entry has left. Changed under that
	// shard's lock.
	home atomic.Pointer[shard[K, V]]
}

// insert puts a new key in, unless the timer refuses it. The caller holds mu, so the entry is in the
// table before Run takes it out, however soon it is due.
func (s *shard[K, V]) insert(hash uint64, k K, v V, at time.Time) error {
	if isNaN(k) {
		panic("keyed: Set with a key that is not equal to itself")
	}
	e := &entry[K, V]{key: k, value: v}
	e.home.Store(s)
	e.timeout.Init(s.owner.timer, e)
	if err := e.arm(at); err != nil {
		return err
	}
	s.table.put(hash, e)
	if len(s.table.entries) > crowd {
		s.owner.dir.split(s)
	}
	return nil
}

// isNaN reports whether k is or contains a NaN.
func isNaN[K comparable](k K) bool {
	same := k
	return k != same
}

// take takes e, whose key has that hash, out of the table and returns its value. The caller holds
// mu, and e is in the table.
func (s *shard[K, V]) take(hash uint64, e *entry[K, V]) V {
	e.home.Store(&s.owner.dir.nowhere)
	s.table.remove(hash, e)
	if len(s.kept) > 0 {
		delete(s.kept, e)
	}
	v := e.value
	var zero V
	e.value = zero // let the collector have it: the wheel keeps e for up to two ticks
	return v
}

// move moves e to a new deadline, or returns why the timer refuses. The caller holds mu.
//
// A full timer never refuses to move a pending timeout; only a stopped timer does.
func (s *shard[K, V]) move(e *entry[K, V], at time.Time) error {
	if e.timeout.State() != hashedwheel.Pending { // a pending one is refused only if Stop begins now
		return s.armAgain(e, at)
	}
	return e.arm(at)
}

// armAgain arms an entry that is not pending. If the timer refuses, it keeps the old deadline.
func (s *shard[K, V]) armAgain(e *entry[K, V], at time.Time) error {
	was := e.timeout.Deadline()
	if err := e.arm(at); err != nil {
		s.keep(e, was)
		return err
	}
	if len(s.kept) > 0 {
		delete(s.kept, e)
	}
	return nil
}

// keep notes the deadline of an entry that was not moved, unless one is noted.
func (s *shard[K, V]) keep(e *entry[K, V], at time.Time) {
	if _, ok := s.kept[e]; !ok {
		s.kept = with(s.kept, e, at)
	}
}

// deadline returns the time at which e expires. The caller holds mu.
func (s *shard[K, V]) deadline(e *entry[K, V]) time.Time {
	if at, ok := s.kept[e]; ok {
		return at
	}
	return e.timeout.Deadline()
}

// divide moves the entries of s into new Go maps of all parts, s included, each part so wide. A loop
// of All that is under way continues over the old Go maps. The caller holds the locks of all parts.
func (s *shard[K, V]) divide(parts []*shard[K, V], width uint64) {
	old, kept := s.table, s.kept
	s.table, s.kept = table[K, V]{}, nil
	home := func(hash uint64, e *entry[K, V]) *shard[K, V] {
		part := parts[(hash-s.first)/width]
		if at, ok := kept[e]; ok {
			part.keep(e, at)
		}
		e.home.Store(part)
		return part
	}
	for hash, e := range old.entries {
		if e.isThere() {
			home(hash, e).table.place(hash, e)
		}
	}
	for e, hash := range old.twins {
		part := home(hash, e)
		part.table.twins = with(part.table.twins, e, hash)
	}
	for e, hash := range old.lost {
		part := home(hash, e)
		part.table.lost = with(part.table.lost, e, hash)
	}
}

// arm arms e, or returns why the timer refuses.
func (e *entry[K, V]) arm(at time.Time) error {
	e.timeout.ResetAt(at)
	return e.timeout.Err()
}

// lock returns the home of e, locked.
func (e *entry[K, V]) lock() *shard[K, V] {
	for {
		s := e.home.Load()
		s.mu.Lock()
		if s == e.home.Load() {
			return s
		}
		s.mu.Unlock() // e has left, or is in another part of a shard that was split
	}
}

// isThere reports whether e is in the map.
func (e *entry[K, V]) isThere() bool { return !e.home.Load().isNowhere() }

func (s *shard[K, V]) isNowhere() bool { return s == &s.owner.dir.nowhere }

// hash returns the hash of e's key as its bytes are now.
func (e *entry[K, V]) hash() uint64 { return e.home.Load().owner.hash(e.key) }

// due reports whether e is due and no call has moved it since. The caller holds home's lock.
//
// ErrFull means that a call found e due and could not move it. ErrStopped proves nothing: e may have
// been pending, and the entries of a stopped timer stay.
func (e *entry[K, V]) due() bool {
	return e.timeout.State() == hashedwheel.Expired || e.timeout.Err() == hashedwheel.ErrFull
}

// Run is called by the timer when e is due. It checks once more under the lock: the key may have
// been deleted, set or touched since.
func (e *entry[K, V]) Run(*hashedwheel.Timeout) {
	if v, ok := e.end(e.due); ok {
		e.home.Load().owner.expired(e.key, v)
	}
}

// end takes e out if it is in the map and may, called under its home's lock, returns true.
func (e *entry[K, V]) end(may func() bool) (v V, ok bool) {
	if !e.isThere() {
		return v, false
	}
	hash := e.hash()
	s := e.lock()
	defer s.mu.Unlock()
	if s.isNowhere() || !may() {
		return v, false
	}
	return s.take(hash, e), true
}
