package hashedwheel

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrStopped says that an arming was refused because the timer has been stopped.
	ErrStopped = errors.New("hashedwheel: timer stopped")
	// ErrFull says that it was refused because of WithMaxPending.
	ErrFull = errors.New("hashedwheel: too many pending timeouts")
)

// A Timer runs tasks at or after their deadlines, at most one tick late. It serves millions of
// timeouts: a program seldom needs more than one. It is safe for concurrent use, from inside
// tasks too, and must not be copied. While nothing is pending it has no goroutine: then an unused
// one is collected without a Stop, unless it is on a ManualClock, which holds on to it.
type Timer struct {
	worker
	after    afters
	rejected atomic.Uint64 // armings refused
	sampling sync.Mutex    // held by Sample, beside the lock
	ending   sync.Once     // end: after the first portion of Stop
}

// New returns a Timer, or an error that names the option and value that is wrong.
func New(opts ...Option) (*Timer, error) {
	o := options{tick: 100 * time.Millisecond, wheelSize: 512, drainLimit: 100_000, clock: systemClock{}}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("hashedwheel: nil Option")
		}
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	tm := &Timer{after: afters{ticks: make(map[int64]*sharedTick)}}
	tm.worker.init(&o)
	return tm, nil
}

// MustNew is New for options known to be right: it panics with New's error.
func MustNew(opts ...Option) *Timer {
	t, err := New(opts...)
	if err != nil {
		panic(err)
	}
	return t
}

// AfterFunc arms a new Timeout that calls f once d has passed, as time.AfterFunc does: by
// default in a goroutine, the Executor decides. It never returns nil: if the timer is stopped or
// full, the Timeout is Rejected. It panics if f is nil. One allocation, no lock.
func (tm *Timer) AfterFunc(d time.Duration, f func()) *Timeout {
	if f == nil {
		panic("hashedwheel: AfterFunc with a nil func")
	}
	t := &Timeout{timer: tm, task: plainFunc(f)}
	_ = tm.armNew(t, tm.deadlineIn(d))
	return t
}

// Schedule arms a new Timeout that runs task once d has passed. If the arming is refused
// it returns ErrStopped or ErrFull, and no Timeout. It panics if task is nil. One
// allocation, no lock.
func (tm *Timer) Schedule(d time.Duration, task Task) (*Timeout, error) {
	if isNil(task) {
		panic("hashedwheel: Schedule with a nil Task")
	}
	t := &Timeout{timer: tm, task: task}
	if err := tm.armNew(t, tm.deadlineIn(d)); err != nil {
		return nil, err
	}
	return t, nil
}

// Now returns the time on the timer's clock, from which times given to ResetAt should come. With
// the system's it is that of New and what the monotonic clock has counted since, as Deadline is.
func (tm *Timer) Now() time.Time {
	if tm.isSystem {
		return tm.at(tm.now())
	}
	return tm.clock.Now()
}

// Tick returns the tick, as WithTick set it.
func (tm *Timer) Tick() time.Duration { return time.Duration(tm.tick) }

// Pending returns how many timeouts are pending; all that After has for a tick count as
// one. It is exact, but for calls under way in other goroutines, and costs a drain of what
// was queued since the last tick, without the drain limit.
func (tm *Timer) Pending() int {
	_, pending := tm.look()
	return pending
}

// Next returns the earliest time at which a timeout may be due, or false if none is pending. One
// moved later, or stopped, may make it too early; a clock set back, up to a tick too late. It costs
// as much as Pending.
func (tm *Timer) Next() (at time.Time, ok bool) {
	next, pending := tm.look()
	if pending == 0 {
		return time.Time{}, false
	}
	return tm.at(min(next, maxDeadline/tm.tick) * tm.tick), true
}

// String tells the tick and how many timeouts are pending. It costs as much as Pending.
func (tm *Timer) String() string {
	return fmt.Sprintf("hashedwheel.Timer(tick %v, %d pending)", tm.Tick(), tm.Pending())
}

// arm makes t pending with a new deadline and reports whether it was.
func (tm *Timer) arm(t *Timeout, deadline int64) (was bool) {
	for {
		w := t.load()
		if w.state() == Pending {
			if push, ok := t.move(w, deadline); ok {
				tm.pay(t, push)
				return true
			}
			continue
		}
		if !tm.room.reserve() {
			if t.reject(w, deadline) {
				tm.rejected.Add(1)
				return false
			}
			continue
		}
		if push, ok := t.begin(w, deadline); ok {
			tm.pay(t, push)
			return false
		}
		tm.room.release(1)
	}
}

// pay makes the push that a transition owes.
func (tm *Timer) pay(t *Timeout, owed bool) {
	if owed {
		_ = tm.push(t)
	}
}

// armNew arms a timeout that nobody else can see yet.
func (tm *Timer) armNew(t *Timeout, deadline int64) error {
	if !tm.room.reserve() {
		t.reject(t.load(), deadline)
		tm.rejected.Add(1)
		return ErrFull
	}
	t.beginNew(deadline)
	return tm.push(t)
}

// push hands t over to the worker. The caller has marked it queued.
func (tm *Timer) push(t *Timeout) error {
	how := tm.queue.push(t)
	if how == refused {
		if t.refuse() {
			tm.room.release(1)
			tm.rejected.Add(1)
		}
		return ErrStopped
	}
	if tm.parked.Load() != awake { // pairs with the second look in park
		tm.unpark()
	}
	if how == deepened && (tm.waits() || !tm.guarded.help(t)) {
		runtime.Gosched() // to the worker, or to whoever has the lock and is at work
	}
	return nil
}

// room bounds how many are pending. reserve makes room for one; whoever ends the arming releases it.
type room struct {
	max      int64 // 0: no bound, and nothing is counted
	reserved atomic.Int64
}

func (r *room) reserve() bool {
	for r.max != 0 {
		n := r.reserved.Load()
		if n >= r.max {
			return false
		}
		if r.reserved.CompareAndSwap(n, n+1) {
			break
		}
	}
	return true
}

// release gives back what n armings have reserved; with -1 it reserves whatever the bound.
func (r *room) release(n int) {
	if r.max != 0 {
		r.reserved.Add(-int64(n))
	}
}
