package keyed

import (
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// A Map holds a value for each key, and the deadline at which the value expires. It is made by New or NewRenewing and
// must not be copied; the methods of the zero Map panic. It has no goroutine and needs no Close.
//
// All methods are safe for concurrent use, including from inside renew, expired and the loops of All and Drain.
type Map[K comparable, V any] struct {
	_ noCopy

	// All fields are read only: %#v, which does not use String, is not a race.
	timer    *hashedwheel.Timer
	renew    func(K, V) time.Duration // nil: no value is renewed
	expired  func(K, V)               // nil: no function is called
	name     string
	seed     maphash.Seed
	hashBits uint64           // mask of a key's hash: all bits, except in tests in which keys share a hash
	dir      *directory[K, V] // nil in the zero Map
}

// noCopy has vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// New returns an empty Map whose values expire by tm. It panics if tm or an Option is nil.
//
// expired is called once for each value that expires, as a task of tm: tm's Executor runs it, no lock is held, and a
// panic is handled like that of any task. The value is no longer in the map. If expired is nil, the worker of tm drops
// the values, without the Executor: New[K, V](tm, nil) names the types.
func New[K comparable, V any](tm *hashedwheel.Timer, expired func(K, V), opts ...Option) *Map[K, V] {
	return newMap("New", tm, expired, opts)
}

// NewRenewing is New for values that note their last use themselves. When the deadline of a value has passed, renew is
// called, in the task that would call expired. If renew returns more than zero, the value stays for that long from now;
// otherwise it expires. Until renew has returned, the value is in the map, and every method finds it.
//
// No lock is held while renew runs. If a call gives the key a new deadline or removes the key in that time, the result
// of renew has no effect. If renew panics, the value expires, and expired is called before the panic continues. If the
// timer is stopped while renew runs, a value that renew would keep stays in the map until Drain.
func NewRenewing[K comparable, V any](
	tm *hashedwheel.Timer, renew func(K, V) time.Duration, expired func(K, V), opts ...Option,
) *Map[K, V] {
	if renew == nil {
		panic("keyed: NewRenewing with a nil func")
	}
	m := newMap("NewRenewing", tm, expired, opts)
	m.renew = renew
	return m
}

// newMap's panics name the function that was called with the arguments.
func newMap[K comparable, V any](maker string, tm *hashedwheel.Timer, expired func(K, V), opts []Option) *Map[K, V] {
	if tm == nil {
		panic("keyed: " + maker + " with a nil Timer")
	}
	m := &Map[K, V]{timer: tm, expired: expired, name: collect(maker, opts).name}
	m.seed, m.hashBits = maphash.MakeSeed(), math.MaxUint64
	m.dir = newDirectory(m)
	return m
}

// Set gives k the value v, which expires d from now. With a d of zero or less no call finds v, and expired is called at
// the next tick. For an absolute time, pass time.Until(expiry) as d.
//
// Set replaces an older value of k, even an expired one for which expired has not been called yet, and then expired is
// not called for it. Swap returns the older value.
//
// If the timer is stopped or full, Set returns hashedwheel.ErrStopped or ErrFull and changes nothing. It panics if k is
// not equal to itself, like NaN: no call could find it again.
func (m *Map[K, V]) Set(k K, v V, d time.Duration) error {
	_, _, err := m.Swap(k, v, d)
	return err
}

// Swap is Set, and returns the value that v replaces, which the caller may have to close, and true. If there was none,
// or the timer refuses, it returns the zero value and false.
func (m *Map[K, V]) Swap(k K, v V, d time.Duration) (old V, loaded bool, err error) {
	hash := m.check().hash(k)
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.table.find(hash, k)
	if e == nil {
		return old, false, s.insert(hash, k, v, d, nil)
	}
	value := e.value
	if e.timeout.Move(d) {
		e.value = v
	} else if err := s.replace(e, v, d); err != nil {
		return old, false, err
	}
	return value, true, nil
}

// GetOrSet returns the value of k and true if k is in the map, and does not move its deadline. Otherwise it sets k to v
// and returns v and false, or the zero value and false if the timer refuses, as it may refuse Set. It is one step: of
// several goroutines that call it for the same key, one gets false. Unlike Set it does not replace an expired value:
// expired is still called for that value, while v is in the map.
func (m *Map[K, V]) GetOrSet(k K, v V, d time.Duration) (actual V, loaded bool, err error) {
	hash := m.check().hash(k)
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.table.find(hash, k)
	if e != nil && !m.hasExpired(e) {
		return e.value, true, nil
	}
	if err := s.insert(hash, k, v, d, e); err != nil {
		return actual, false, err
	}
	return v, false, nil
}

// Get returns the value of k, and whether k is in the map. It does not move the deadline.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	hash := m.check().hash(k)
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.find(hash, k)
	if e == nil {
		return v, false
	}
	return e.value, true
}

// Deadline returns the time at which k expires, on the timer's clock, and whether k is in the map.
func (m *Map[K, V]) Deadline(k K) (at time.Time, ok bool) {
	hash := m.check().hash(k)
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.find(hash, k)
	if e == nil {
		return at, false
	}
	return e.timeout.Deadline(), true
}

// Touch moves the deadline of k to d from now, earlier or later, and returns k's value and true: expired is not called
// before the new deadline. It returns false and changes nothing if k is not in the map, or the timer is stopped. It
// allocates nothing, except for a key whose renew is due.
func (m *Map[K, V]) Touch(k K, d time.Duration) (v V, ok bool) {
	hash := m.check().hash(k)
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.find(hash, k)
	if e == nil {
		return v, false
	}
	value := e.value
	if e.timeout.Move(d) || s.replace(e, value, d) == nil { // e may have become due since
		return value, true
	}
	return v, false
}

// Delete removes k and returns its value and true: expired is not called for it. It returns false if k is not in the
// map.
func (m *Map[K, V]) Delete(k K) (v V, ok bool) {
	hash := m.check().hash(k)
	s := m.dir.lock(hash)
	e := s.find(hash, k)
	if e == nil {
		s.mu.Unlock()
		return v, false
	}
	v = s.take(e)
	s.mu.Unlock()
	e.timeout.Stop()
	return v, true
}

// CompareAndDelete removes k if its value is equal to old, and reports whether it did: then expired is not called for
// it. Of several goroutines that call it for the same key and value, one gets true. It panics if values of type V
// cannot be compared.
func (m *Map[K, V]) CompareAndDelete(k K, old V) bool {
	if !reflect.TypeFor[V]().Comparable() {
		panic("keyed: CompareAndDelete of values that cannot be compared: " + reflect.TypeFor[V]().String())
	}
	e := m.takeEqual(m.check().hash(k), k, old)
	if e == nil {
		return false
	}
	e.timeout.Stop()
	return true
}

// takeEqual removes k if its value is equal to old, and returns its entry. The comparison may panic.
func (m *Map[K, V]) takeEqual(hash uint64, k K, old V) *entry[K, V] {
	s := m.dir.lock(hash)
	defer s.mu.Unlock()
	e := s.find(hash, k)
	if e == nil || any(e.value) != any(old) {
		return nil
	}
	s.take(e)
	return e
}

// Len returns the number of values that have not ended, including expired ones for which expired has not been called
// yet. It counts one shard after the other: the number is exact, except for concurrent calls.
func (m *Map[K, V]) Len() (n int) {
	m.check()
	for hash := uint64(0); ; hash++ {
		s := m.dir.lock(hash)
		n += s.table.count + len(s.superseded)
		hash = s.last
		s.mu.Unlock()
		if hash == math.MaxUint64 {
			return n
		}
	}
}

// String returns the name of the map and its number of keys. It is safe at any time, and costs as much as Len.
func (m *Map[K, V]) String() string {
	if m.dir == nil {
		return "keyed.Map(not made by New)"
	}
	what, n, s := "", m.Len(), "s"
	if m.name != "" {
		what = m.name + ", "
	}
	if n == 1 {
		s = ""
	}
	return fmt.Sprintf("keyed.Map(%s%d key%s)", what, n, s)
}

// isSilent reports whether the map calls no function when a value expires.
func (m *Map[K, V]) isSilent() bool { return m.renew == nil && m.expired == nil }

// check panics if m is the zero Map.
func (m *Map[K, V]) check() *Map[K, V] {
	if m.dir == nil {
		panic("keyed: this Map was not made by New")
	}
	return m
}

// hash returns the hash of k. It may panic: some keys in an interface cannot be hashed.
func (m *Map[K, V]) hash(k K) uint64 { return maphash.Comparable(m.seed, k) & m.hashBits }

// hasExpired reports whether the deadline of e has passed, unless renew decides. The caller has locked e's shard: a
// call that locks the shard later reads a later time, and does not find a value that this one has missed.
func (m *Map[K, V]) hasExpired(e *entry[K, V]) bool {
	return m.renew == nil && hook.HasPassed(&e.timeout)
}
