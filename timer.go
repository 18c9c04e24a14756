package hashedwheel

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

var (
	// ErrStopped is returned by Schedule when the timer has been stopped.
	ErrStopped = errors.New("hashedwheel: timer stopped")
	// ErrFull is returned by Schedule when as many timeouts are pending as
	// WithMaxPending allows.
	ErrFull = errors.New("hashedwheel: too many pending timeouts")
)

// A Timer runs tasks at or after their deadlines, at most one tick late. One
// Timer serves millions of timeouts; a program seldom needs more than one.
//
// A Timer is safe for concurrent use and must not be copied. Every method may
// be called from inside a task. It has no goroutine while nothing is pending, so
// a Timer that is no longer used needs no Stop to be collected then, unless it is
// on a ManualClock, which keeps it.
type Timer struct {
	// What producers read on every call; set by New, then read only, but for
	// parked, which changes a few times a tick at most, and what queue and after
	// keep in themselves.
	start      time.Time // deadlines count from here
	clock      Clock
	isSystem   bool // clock is the system's: read it in the fastest way
	mayStep    bool // clock is the user's, and not a ManualClock
	maxPending int64
	drainLimit int
	executor   Executor
	mode       executorMode
	watched    bool // tasks run on a worker that can hand the wheel on
	onPanic    func(to *Timeout, recovered any)
	tick       int64
	parked     atomic.Int32 // awake, asleep or absent: see worker.go
	queue      mpscQueue
	after      afters

	_ [128]byte // away from the lines that the worker writes

	reserved atomic.Int64  // timeouts pending, if maxPending is set
	rejected atomic.Uint64 // armings refused

	worker
}

// New returns a Timer with the given options, or an error that names the option
// and value that is wrong. It starts nothing: the first arming does.
func New(opts ...Option) (*Timer, error) {
	o := defaults()
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("hashedwheel: nil Option")
		}
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	t := &Timer{
		clock:      o.clock,
		isSystem:   o.clock == Clock(systemClock{}),
		maxPending: int64(o.maxPending),
		drainLimit: o.drainLimit,
		executor:   o.executor,
		mode:       modeOf(o.executor),
		onPanic:    o.onPanic,
		tick:       int64(o.tick),
	}
	t.wheel.init(t.tick, o.wheelSize)
	t.queue.init()
	t.wake = make(chan struct{}, 1)
	t.quit = make(chan struct{})
	t.done = make(chan struct{})
	t.start = t.clock.Now()
	t.batch.Store(new(batch))
	if c, ok := t.clock.(*ManualClock); ok {
		c.attach(t) // Advance does the worker's part: it stays awake for ever
	} else {
		t.parked.Store(absent)
		t.mayStep = !t.isSystem
		t.watched = t.mode == inline
	}
	return t, nil
}

// MustNew is New for options known to be right: it panics with New's error.
func MustNew(opts ...Option) *Timer {
	t, err := New(opts...)
	if err != nil {
		panic(err)
	}
	return t
}

// AfterFunc arms a new Timeout that calls f once d has passed, in the way of
// time.AfterFunc, by default in a goroutine: the Executor decides. It never
// returns nil: if the timer is stopped or full, f will not be called and the
// Timeout is Rejected. It panics if f is nil.
//
// One allocation, no lock.
func (t *Timer) AfterFunc(d time.Duration, f func()) *Timeout {
	if f == nil {
		panic("hashedwheel: AfterFunc with a nil func")
	}
	to := &Timeout{timer: t, task: plainFunc(f)}
	_ = to.armNew(t, t.deadlineIn(d))
	return to
}

// Schedule arms a new Timeout that runs task once d has passed. It returns
// ErrStopped or ErrFull, and no Timeout, if the arming is refused. It panics if
// task is nil.
//
// One allocation, no lock.
func (t *Timer) Schedule(d time.Duration, task Task) (*Timeout, error) {
	if isNil(task) {
		panic("hashedwheel: Schedule with a nil Task")
	}
	to := &Timeout{timer: t, task: task}
	if err := to.armNew(t, t.deadlineIn(d)); err != nil {
		return nil, err
	}
	return to, nil
}

// Pending returns how many timeouts are pending. It is exact, but for calls
// under way in other goroutines, counts a series as one and all that After has
// for a tick as one, and costs a drain of what was handed over since the last
// tick, without the drain limit.
func (t *Timer) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.countPending()
}

// countPending files all that was handed over and counts. The caller holds mu.
func (t *Timer) countPending() int {
	t.drainAll()
	n := t.wheel.count
	for _, to := range t.batch.Load().inUse() {
		if to.State() == Pending {
			n++
		}
	}
	return n
}

// push hands to over to the worker. The caller has marked it queued.
func (t *Timer) push(to *Timeout) error {
	ok, pages := t.queue.push(to)
	if !ok {
		if to.refuse() {
			t.release()
			t.rejected.Add(1)
		}
		return ErrStopped
	}
	if t.parked.Load() != awake { // pairs with the second look in park
		t.unpark()
	} else if pages >= deepPages {
		t.hurry(pages)
	}
	return nil
}

// hurry has the queue drained before the tick, now that a stripe has grown deep,
// and again each time it has doubled: so a storm of armings and stops stays small
// and warm. If the stripe doubles before the worker has come, most likely all
// processors are busy, and the producer gives way. That is in vain if the worker
// is in a task, or there is none (ManualClock), but seldom, as depths double; to
// give way but once would not bound the heap of a storm.
func (t *Timer) hurry(pages int32) {
	if pages&(pages-1) != 0 {
		return
	}
	t.nudge()
	if pages > deepPages {
		runtime.Gosched()
	}
}

// reserve makes room for one more pending timeout, and release gives it back:
// exactly once for each arming, by whoever ends it.
func (t *Timer) reserve() bool {
	if t.maxPending == 0 {
		return true
	}
	for {
		n := t.reserved.Load()
		if n >= t.maxPending {
			return false
		}
		if t.reserved.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// reserveAlways reserves beyond the bound too.
func (t *Timer) reserveAlways() {
	if t.maxPending != 0 {
		t.reserved.Add(1)
	}
}

func (t *Timer) release() {
	if t.maxPending != 0 {
		t.reserved.Add(-1)
	}
}

// now returns the time in ns since start, always short of maxDeadline.
func (t *Timer) now() int64 {
	var d time.Duration
	if t.isSystem {
		d = time.Since(t.start) // reads the monotonic clock alone
	} else {
		d = t.clock.Now().Sub(t.start)
	}
	return min(clamp(int64(d)), maxDeadline-1)
}

// deadlineIn returns the deadline d from now; one out of reach is never.
func (t *Timer) deadlineIn(d time.Duration) int64 {
	return clamp(t.now() + clamp(int64(d)))
}

// deadlineFrom returns the deadline at a time, as seen when the clock showed now.
func (t *Timer) deadlineFrom(now, at time.Time) int64 {
	return clamp(t.since(now) + clamp(int64(at.Sub(now))))
}

// since returns a time in ns since start.
func (t *Timer) since(at time.Time) int64 { return clamp(int64(at.Sub(t.start))) }

func clamp(ns int64) int64 { return max(minDeadline, min(ns, maxDeadline)) }
