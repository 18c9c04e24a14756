package keyed

import (
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// An entry holds a key and its value. Once it has left its map, it does not return.
//
// An entry is reached through its shard, and through the timer, whose task it is. All its changes are made under the
// shard's lock. The call that takes it out, under that lock, ends its value:
//
//	    put            its tick        Run: no renew, or renew returns 0 or less
//	───────▶ pending ─────────▶ due ───────────────────────────────────────────────▶ out
//	         ▲ │ ▲               │  Run: renew returns more
//	   move  └─┘ └───────────────┘
//
// Calls move a pending entry. Only its Run arms an entry that is due; calls put a new entry in its place. So while
// renew runs, with no lock held, its entry is due or out, and its value is the value that renew got; if the entry is
// out, the result of renew is ignored.
type entry[K comparable, V any] struct {
	key     K                   // read only
	value   V                   // guarded by the shard's lock; placed between key and timeout, with which it is read
	timeout hashedwheel.Timeout // armed and moved under the shard's lock only
	owner   *Map[K, V]          // read only
	hash    uint64              // of key; read only
	twin    *entry[K, V]        // an older entry with the same hash; guarded by the shard's lock
}

func (m *Map[K, V]) newEntry(hash uint64, k K, v V) *entry[K, V] {
	e := &entry[K, V]{key: k, value: v, owner: m, hash: hash}
	e.timeout.Init(m.timer, e)
	return e
}

// TaskName returns the name under which the entries of the map are shown.
func (e *entry[K, V]) TaskName() string {
	if name := e.owner.name; name != "" {
		return name
	}
	return "entry of " + strings.TrimPrefix(taskname.Of((*Map[K, V])(nil)), "*")
}

// Brief reports whether the end of e calls no user code.
func (e *entry[K, V]) Brief() hook.Brief { return hook.Brief(e.owner.isSilent()) }

// TryRun takes e out on the worker. It returns false if a function must be called, or if another goroutine, which may
// have lost its processor, has locked the shard.
func (e *entry[K, V]) TryRun() bool {
	if !e.owner.isSilent() {
		return false
	}
	s := e.owner.dir.shard(e.hash)
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	return s.drop(e)
}

// Run is called by the timer when e is due. A call may have taken e out since.
func (e *entry[K, V]) Run(*hashedwheel.Timeout) {
	if e.owner.renew == nil {
		e.settle(0)
	} else if v, isDue := e.dueValue(); isDue {
		e.ask(v)
	}
}

// ask has renew decide about e, which is due. If renew panics, or ends the goroutine, v expires.
func (e *entry[K, V]) ask(v V) {
	var d time.Duration
	defer func() { e.settle(d) }()
	d = e.owner.renew(e.key, v)
}

// dueValue returns the value of e, and whether e is due.
func (e *entry[K, V]) dueValue() (v V, isDue bool) {
	s := e.owner.dir.lock(e.hash)
	defer s.mu.Unlock()
	return e.value, s.isDue(e)
}

// settle renews e for d, or, if d is not positive, has its value expire. It does neither if e is no longer due.
func (e *entry[K, V]) settle(d time.Duration) {
	if v, ok := e.end(d); ok && e.owner.expired != nil {
		e.owner.expired(e.key, v)
	}
}

// end takes e out, unless it is not due or stays for d.
func (e *entry[K, V]) end(d time.Duration) (v V, ok bool) {
	s := e.owner.dir.lock(e.hash)
	defer s.mu.Unlock()
	switch {
	case !s.isDue(e):
		return v, false
	case d > 0:
		e.timeout.Reset(d) // only a stopped timer refuses it: then e stays in the map like all others
		return v, false
	}
	return s.take(e), true
}

// takeIfIn takes e out if it is still in the map, and reports whether it was.
func (e *entry[K, V]) takeIfIn() (v V, ok bool) {
	s := e.owner.dir.lock(e.hash)
	defer s.mu.Unlock()
	if !s.has(e) {
		return v, false
	}
	return s.take(e), true
}
