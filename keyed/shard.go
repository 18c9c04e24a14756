package keyed

import (
	"strings"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// A shard has the keys whose hash is in its range, with a separate lock.
//
// An entry is reached through its shard's table and through the timer. While it is in the table, all
// its changes are made under mu. The call that takes it out, under mu, ends its value:
//
//	    add            its tick        Run: no renew, or renew returns 0 or less
//	───────▶ pending ─────────▶ due ───────────────────────────────────────────────▶ out
//	         ▲ │ ▲               │  Run: renew returns more
//	   move  └─┘ └───────────────┘
//
// Calls move a pending entry. They do not arm an entry that is due, only its Run does: in its place they put a
// new entry. So while renew runs, with no lock held, its entry is due or out, and its value is the value that
// renew got; if the entry is out, the answer of renew is void.
//
// mu is not held while user code runs: renew, expired, the body of an All, Drain's function, the
// timer's Clock. The timer's own lock may be taken under mu, never the other way round.
type shard[K comparable, V any] struct {
	mu    sync.Mutex // guards all but owner
	owner *Map[K, V] // read only

	first uint64      // the range of hashes, which a split makes narrower
	last  uint64      // belongs to the range
	table table[K, V] // the fields that each call reads are first, in the cache line of mu

	rival uint64 // the hash of the last key for which a call waited for mu
	waits uint32 // calls that waited for mu, each for another key than the call before

	_ [56]byte // 128 in all: no two shards share a cache line, nor a pair of lines that is fetched together
}

// An entry is a key in a map, or a key that has left it: an entry never returns.
type entry[K comparable, V any] struct {
	key     K                   // read only
	value   V                   // guarded by the shard's lock; placed between key and timeout, with which it is read
	timeout hashedwheel.Timeout // armed and moved under the shard's lock only
	owner   *Map[K, V]          // read only
	hash    uint64              // of key as it was when the entry was made: read only
	twin    *entry[K, V]        // an older entry with the same hash; guarded by the shard's lock
}

// insert puts a new key in, or returns why the timer refuses. The caller holds mu.
func (s *shard[K, V]) insert(hash uint64, k K, v V, at time.Time) error {
	if isNaN(k) {
		panic("keyed: Set with a key that is not equal to itself")
	}
	if err := s.add(hash, k, v, at); err != nil {
		return err
	}
	if len(s.table.entries) > crowd {
		s.owner.dir.split(s)
	}
	return nil
}

// replace puts a new entry in the place of e, which is due, or returns why the timer refuses. The caller
// holds mu, and e is in the table. The key stays e's: the caller's may be a string over a reused buffer.
func (s *shard[K, V]) replace(e *entry[K, V], v V, at time.Time) error {
	if err := s.add(e.hash, e.key, v, at); err != nil {
		return err
	}
	s.take(e)
	return nil // e's Timeout has expired
}

// add puts an entry in, or returns why the timer refuses. The caller holds mu, so the entry is in the
// table before Run takes it out, however soon it is due.
func (s *shard[K, V]) add(hash uint64, k K, v V, at time.Time) error {
	e := &entry[K, V]{key: k, value: v, owner: s.owner, hash: hash}
	e.timeout.Init(s.owner.timer, e)
	if err := e.timeout.ArmAt(at); err != nil {
		return err
	}
	s.table.put(e)
	return nil
}

// isNaN reports whether k is or contains a NaN.
func isNaN[K comparable](k K) bool {
	same := k
	return k != same
}

// take takes e out of the table and returns its value. The caller holds mu, and e is in the table.
func (s *shard[K, V]) take(e *entry[K, V]) V {
	s.table.remove(e)
	v := e.value
	var zero V
	e.value = zero // let the collector have it: the wheel keeps e for up to a tenth of a second, or two ticks
	return v
}

// divide moves the entries of s into new Go maps of all parts, s included, each part so wide. A loop
// of All that is under way continues over the old Go map. The caller holds mu, and no other call has
// seen the new parts yet.
func (s *shard[K, V]) divide(parts []*shard[K, V], width uint64) {
	old := s.table
	s.table = table[K, V]{}
	for hash, e := range old.entries {
		parts[(hash-s.first)/width].table.adopt(e)
	}
}

// Brief makes e a task of the library, which runs user code.
func (e *entry[K, V]) Brief() hook.Brief { return false }

// TaskName returns the name under which the timer's entries are shown to people.
func (e *entry[K, V]) TaskName() string {
	if name := e.owner.name; name != "" {
		return name
	}
	return "entry of " + strings.TrimPrefix(taskname.Of((*Map[K, V])(nil)), "*")
}

// Run is called by the timer when e is due. A call may have taken e out since.
func (e *entry[K, V]) Run(*hashedwheel.Timeout) {
	if e.owner.renew == nil {
		e.settle(time.Time{})
	} else if v, isDue := e.dueValue(); isDue {
		e.ask(v)
	}
}

// ask has renew decide about e, which is due. If renew or the clock panics, or ends the goroutine, v expires.
func (e *entry[K, V]) ask(v V) {
	var until time.Time
	defer func() { e.settle(until) }()
	if d := e.owner.renew(e.key, v); d > 0 {
		until = e.owner.in(d)
	}
}

// dueValue returns the value of e, and whether e is due.
func (e *entry[K, V]) dueValue() (v V, isDue bool) {
	s := e.owner.dir.lock(e.hash)
	defer s.mu.Unlock()
	return e.value, s.isDue(e)
}

// settle renews e until a time, or, if that is zero, has its value expire; neither if e is no longer due.
func (e *entry[K, V]) settle(until time.Time) {
	if v, ok := e.end(until); ok {
		e.owner.expired(e.key, v)
	}
}

// end takes e out, unless it is not due or stays until a later time.
func (e *entry[K, V]) end(until time.Time) (v V, ok bool) {
	s := e.owner.dir.lock(e.hash)
	defer s.mu.Unlock()
	switch {
	case !s.isDue(e):
		return v, false
	case !until.IsZero():
		e.timeout.ResetAt(until) // only a stopped timer refuses it: then e stays in the map like all others
		return v, false
	}
	return s.take(e), true
}

// isDue reports whether e is due. The caller holds mu.
func (s *shard[K, V]) isDue(e *entry[K, V]) bool {
	return s.table.has(e) && e.timeout.State() == hashedwheel.Expired
}
