package keyed

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A shard holds the entries of the keys whose hash is in its range, and has a separate lock.
//
// mu is not held while user code runs: renew, expired, the body of an All, Drain's function. The locks of the timer and
// of its clock may be taken under mu, never the other way round. All methods are called with mu held. Calls read the
// clock with mu held, so that they read it in the order in which they change the shard.
type shard[K comparable, V any] struct {
	mu    sync.Mutex // guards all but owner
	owner *Map[K, V] // read only

	first uint64      // the range of hashes, which a split makes narrower
	last  uint64      // belongs to the range
	table table[K, V] // the fields that each call reads are first, in the cache line of mu

	// Expired entries whose key GetOrSet has set again. Their tasks find them here. In the table, each look-up of the
	// key would have to pass all of them.
	superseded map[*entry[K, V]]struct{}

	rival uint64 // the hash of the last key for which a call waited for mu
	waits uint32 // calls that waited for mu, each for a different key than the call before

	_ [48]byte // 128 in all: no two shards share a cache line, nor a pair of lines that is fetched together
}

// covers reports whether hash is in the range of s.
func (s *shard[K, V]) covers(hash uint64) bool { return s.first <= hash && hash <= s.last }

// find returns the entry of k, or nil if there is none or its value has expired.
func (s *shard[K, V]) find(hash uint64, k K) *entry[K, V] {
	e := s.table.find(hash, k)
	if e == nil || s.owner.hasExpired(e) {
		return nil
	}
	return e
}

// insert puts a new key in, or returns why the timer refuses. If the key has an entry whose value has expired, old is
// that entry, otherwise nil.
func (s *shard[K, V]) insert(hash uint64, k K, v V, d time.Duration, old *entry[K, V]) error {
	if isNaN(k) {
		panic("keyed: Set with a key that is not equal to itself")
	}
	e := s.owner.newEntry(hash, k, v)
	if err := e.timeout.Arm(d); err != nil {
		return err
	}
	s.table.put(e) // Run waits for mu, however soon e is due
	if old != nil {
		s.table.remove(old)
		s.supersede(old)
	}
	if len(s.table.entries) > keysBeforeSplit {
		s.owner.dir.split(s)
	}
	return nil
}

// replace puts a new entry in place of e, which is in the table and due, or returns why the timer refuses. In a
// renewing map e's key is present, so a full timer does not refuse.
func (s *shard[K, V]) replace(e *entry[K, V], v V, d time.Duration) error {
	next := s.owner.newEntry(e.hash, e.key, v)
	var err error
	if s.owner.renew != nil {
		next.timeout.Reset(d)
		err = next.timeout.Err()
	} else {
		err = next.timeout.Arm(d)
	}
	if err != nil {
		return err
	}
	s.table.put(next)
	s.take(e) // its Timeout has expired
	return nil
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
}
