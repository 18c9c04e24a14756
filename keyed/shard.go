package keyed

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A shard holds the entries of the keys whose hash is in its range, and has a separate lock.
//
// mu is not held while user code runs: renew, expired, the body of an All, Drain's function, the timer's Clock. The
// timer's own lock may be taken under mu, never the other way round. All methods are called with mu held.
type shard[K comparable, V any] struct {
	mu    sync.Mutex // guards all but owner
	owner *Map[K, V] // read only

	first uint64      // the range of hashes, which a split makes narrower
	last  uint64      // belongs to the range
	table table[K, V] // the fields that each call reads are first, in the cache line of mu

	// The latest reading of the clock that a call has compared with the deadline of a pending entry, or has armed one
	// with. A call reads the clock before it waits for mu. By that reading alone it could find and touch a value after
	// another call has reported it absent.
	latest time.Time

	// Expired entries whose key GetOrSet has set again. Their tasks find them here. In the table, each look-up of the
	// key would have to pass all of them.
	superseded map[*entry[K, V]]struct{}

	rival uint64 // the hash of the last key for which a call waited for mu
	waits uint32 // calls that waited for mu, each for a different key than the call before

	_ [24]byte // 128 in all: no two shards share a cache line, nor a pair of lines that is fetched together
}

// covers reports whether hash is in the range of s.
func (s *shard[K, V]) covers(hash uint64) bool { return s.first <= hash && hash <= s.last }

// find returns the entry of k, or nil if there is none or its value has expired.
func (s *shard[K, V]) find(hash uint64, k K, now time.Time) *entry[K, V] {
	e := s.table.find(hash, k)
	if e == nil || s.hasExpired(e, now) {
		return nil
	}
	return e
}

// hasExpired reports whether the value of e, which is in the table, has expired by now, a reading of the clock.
//
// Once Timer.StopAll has canceled the entries, latest no longer changes: no more values expire, and none that has
// expired is found again.
func (s *shard[K, V]) hasExpired(e *entry[K, V], now time.Time) bool {
	if s.owner.renew != nil {
		return false // renew decides
	}
	switch e.timeout.State() {
	case hashedwheel.Expired:
		return true
	case hashedwheel.Pending:
		s.advance(now)
	}
	until := e.timeout.Deadline()
	return !until.After(s.latest) && until.Unix() < s.owner.never
}

// advance is called with a reading of the clock at which the timer had not been stopped.
func (s *shard[K, V]) advance(now time.Time) {
	if now.After(s.latest) {
		s.latest = now
	}
}

// insert puts a new key in, or returns why the timer refuses. If the key has an entry whose value has expired, old is
// that entry, otherwise nil.
func (s *shard[K, V]) insert(hash uint64, k K, v V, until deadline, old *entry[K, V]) error {
	if isNaN(k) {
		panic("keyed: Set with a key that is not equal to itself")
	}
	e := s.owner.newEntry(hash, k, v)
	if err := e.timeout.ArmAt(until.at); err != nil {
		return err
	}
	s.put(e, until)
	if old != nil {
		s.table.remove(old)
		s.supersede(old)
	}
	if len(s.table.entries) > keysBeforeSplit {
		s.owner.dir.split(s)
	}
	return nil
}

// move gives e a new deadline if e is pending, and reports whether it was.
func (s *shard[K, V]) move(e *entry[K, V], until deadline) (ok bool) {
	ok = e.timeout.MoveAt(until.at)
	if ok {
		s.advance(until.now)
	}
	return ok
}

// replace puts a new entry in place of e, which is in the table and due, or returns why the timer refuses. In a
// renewing map e's key is present, so a full timer does not refuse.
func (s *shard[K, V]) replace(e *entry[K, V], v V, until deadline) error {
	next := s.owner.newEntry(e.hash, e.key, v)
	var err error
	if s.owner.renew != nil {
		next.timeout.ResetAt(until.at)
		err = next.timeout.Err()
	} else {
		err = next.timeout.ArmAt(until.at)
	}
	if err != nil {
		return err
	}
	s.put(next, until)
	s.take(e) // its Timeout has expired
	return nil
}

// put adds an entry that has just been armed: Run waits for mu, however soon the entry is due.
func (s *shard[K, V]) put(e *entry[K, V], until deadline) {
	s.table.put(e)
	s.advance(until.now)
}

// isNaN reports whether k is or contains a NaN.
func isNaN[K comparable](k K) bool {
	same := k
	return k != same
}

func (s *shard[K, V]) supersede(e *entry[K, V]) {
	if s.superseded == nil {
		s.superseded = make(map[*entry[K, V]]struct{})
	}
	s.superseded[e] = struct{}{}
}

func (s *shard[K, V]) isSuperseded(e *entry[K, V]) bool {
	_, ok := s.superseded[e]
	return ok
}

// has reports whether e is in the map.
func (s *shard[K, V]) has(e *entry[K, V]) bool { return s.table.has(e) || s.isSuperseded(e) }

// isDue reports whether e is in the map and due.
func (s *shard[K, V]) isDue(e *entry[K, V]) bool {
	return s.has(e) && e.timeout.State() == hashedwheel.Expired
}

// take removes e, which is in the map, and returns its value.
func (s *shard[K, V]) take(e *entry[K, V]) V {
	if s.isSuperseded(e) {
		delete(s.superseded, e)
	} else {
		s.table.remove(e)
	}
	v := e.value
	var zero V
	e.value = zero // let the collector have it: the wheel keeps e for up to a tenth of a second, or two ticks
	return v
}

// drop takes e out if it is due, and reports false if s has been split and e is in another shard.
func (s *shard[K, V]) drop(e *entry[K, V]) bool {
	if !s.covers(e.hash) {
		return false
	}
	if s.isDue(e) {
		s.take(e)
	}
	return true
}

// divide moves the entries of s into new Go maps of all parts, including s; width is the range of each part. A loop of
// All in progress continues over the old Go map. No other call has seen the new parts yet.
func (s *shard[K, V]) divide(parts []*shard[K, V], width uint64) {
	old, superseded := s.table, s.superseded
	s.table, s.superseded = table[K, V]{}, nil
	for hash, e := range old.entries {
		parts[(hash-s.first)/width].table.adopt(e)
	}
	for e := range superseded {
		parts[(e.hash-s.first)/width].supersede(e)
	}
	for _, part := range parts {
		part.latest = s.latest
	}
}
