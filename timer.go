package hashedwheel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/hook"
)

var (
	// ErrStopped is returned if the timer has been stopped.
	ErrStopped = errors.New("hashedwheel: timer stopped")
	// ErrFull is returned by Schedule, Timeout.Arm and ArmAt if as many timeouts are pending as WithMaxPending allows.
	ErrFull = errors.New("hashedwheel: too many pending timeouts")
)

// A Timer runs the tasks of any number of timeouts, never before a deadline, and hands each to the Executor at most one
// tick late, plus delays of the system. It is safe for concurrent use, including from inside tasks, and must not be
// copied. The zero Timer panics. An unused Timer with nothing pending is garbage without a call of StopAll, except on a
// ManualClock.
type Timer struct {
	// The path of a timeout: into the queue, through the wheel in guarded, out to the executor.
	time    timeline // each call that arms reads this and the next
	queue   mpscQueue
	alarm   alarm
	worker  worker
	guarded guarded // its lock is never held while user code runs
	out     runner

	// Helping producers pass the turnstile one at a time before they wait for guarded's lock, so the worker queues
	// behind one of them, not behind all.
	turnstile sync.Mutex

	quota    quota // not next to time, which all calls read: with a bound each arming writes quota
	after    afters
	rejected atomic.Uint64 // armings refused; counted by producers, for Stats
	ending   sync.Once     // calls endWorker once StopAll has collected its first portion
}

// New returns a Timer, or an error that names the wrong option and its value. Each Option describes its default. New
// reads GOMAXPROCS once, to size the queue between callers and worker.
func New(opts ...Option) (*Timer, error) {
	o := options{wheelSize: 512}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("hashedwheel: nil Option")
		}
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	if o.clock != nil && o.executor == nil {
		o.executor = Inline{}
	}
	tm := &Timer{time: newTimeline(o.clock, o.tick)}
	tm.quota.max = int64(o.maxPending)
	tm.queue.init(tm.time.tick)
	tm.guarded.init(tm, o.wheelSize)
	tm.out.init(&o)
	tm.worker.init(tm)
	tm.alarm.init(&tm.time, &tm.queue.far, tm.worker.wake)
	return tm, nil
}

// MustNew is New for options known to be valid: it panics with New's error.
func MustNew(opts ...Option) *Timer {
	tm, err := New(opts...)
	if err != nil {
		panic(err)
	}
	return tm
}

// AfterFunc arms a new Timeout that calls f once d has passed, through the Executor. If the timer is stopped, the
// Timeout is Rejected, never nil, and f is not called. AfterFunc panics if f is nil. It allocates once.
func (tm *Timer) AfterFunc(d time.Duration, f func()) *Timeout {
	if f == nil {
		panic("hashedwheel: AfterFunc with a nil func")
	}
	t := &Timeout{timer: tm, task: plainFunc(f)}
	_ = tm.armNew(t, tm.deadlineIn(d), unbounded)
	return t
}

// Schedule is AfterFunc for a Task. If the timer is stopped or full, it returns nil, and ErrStopped or ErrFull. It
// panics if task is nil.
func (tm *Timer) Schedule(d time.Duration, task Task) (*Timeout, error) {
	if isNil(task) {
		panic("hashedwheel: Schedule with a nil Task")
	}
	t := &Timeout{timer: tm, task: task}
	err := tm.armNew(t, tm.deadlineIn(d), bounded)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Now returns the time on the timer's clock, from which times given to ResetAt should come. With the system clock it is
// time.Now().
func (tm *Timer) Now() time.Time {
	tm.time.checkMade()
	return tm.time.read()
}

// Tick returns the tick: as WithTick set it, otherwise 1ms, or 1ns in a testing/synctest bubble.
func (tm *Timer) Tick() time.Duration { return time.Duration(tm.time.tick) }

// Pending returns how many timeouts are pending. It is exact, except for calls in progress in other goroutines. During
// a concurrent StopAll, Pending may briefly exceed the bound of WithMaxPending.
//
// Pending first sorts in the timeouts that were armed or stopped since the worker ran last. That takes 40 ns for each,
// or 55 ns if they are scattered in memory (bench, Pending).
func (tm *Timer) Pending() int {
	tm.time.checkMade()
	_, pending := tm.guarded.drainAll()
	return pending
}

// NextDue returns the earliest time at which a timeout may be due, or false if none is pending. If that timeout was
// moved later or stopped, NextDue may still return its old time until then. NextDue costs as much as Pending.
func (tm *Timer) NextDue() (at time.Time, ok bool) {
	tm.time.checkMade()
	next, pending := tm.guarded.drainAll()
	if pending == 0 {
		return time.Time{}, false
	}
	return tm.time.at(next), true
}

// String returns what %v prints for a *Timer: the tick. It reads nothing that changes.
func (tm *Timer) String() string { return fmt.Sprintf("hashedwheel.Timer(tick %v)", tm.Tick()) }

// deadlineIn returns the deadline d from now. A negative d is zero, and one too large for the clock is never. Having
// read the clock, it wakes a worker that is overdue.
func (tm *Timer) deadlineIn(d time.Duration) int64 {
	now := int64(-1)
	if tm.time.manual == nil {
		now = int64(time.Since(tm.time.start)) // timeline.now by hand: the compiler does not inline it
	}
	if uint64(now) >= maxDeadline {
		now = tm.time.slowNow()
	}
	if now > tm.alarm.overdue.Load() {
		tm.alarm.wakeOverdue(now)
	}
	return min(now+min(max(0, int64(d)), maxDeadline), maxDeadline)
}

// arm makes t pending with a new deadline, and reports whether t was pending. Its error is Arm's.
func (tm *Timer) arm(t *Timeout, deadline int64, bound mayRefuse) (was bool, err error) {
	for {
		w := t.load()
		if w.state() == Pending {
			if !tm.tryMove(t, w, deadline) {
				continue
			}
			return true, nil
		}
		// The goroutine that set queued may not have pushed t yet. Its push will be refused, which this call would not
		// see.
		isTooLate := w.queued() && tm.queue.refuses.Load()
		if isTooLate || !tm.quota.acquire(bound) {
			if s := tm.refusal(); t.reject(w, deadline, s) {
				tm.rejected.Add(1)
				return false, s.reason()
			}
			continue
		}
		push, ok := t.begin(w, deadline)
		if ok {
			return false, tm.hand(t, push, deadline)
		}
		tm.quota.release(1)
	}
}

// move gives t a new deadline if it is pending, and reports whether it was.
func (tm *Timer) move(t *Timeout, deadline int64) (was bool) {
	for w := t.load(); w.state() == Pending; w = t.load() {
		if tm.tryMove(t, w, deadline) {
			return true
		}
	}
	return false
}

// tryMove reports false if w, the word of a pending timeout, was out of date. hand returns no error here: a timeout
// that it pushes is filed, and so StopAll collects it.
func (tm *Timer) tryMove(t *Timeout, w word, deadline int64) (ok bool) {
	push, ok := t.move(w, deadline)
	if ok && deadline < w.deadline() {
		_ = tm.hand(t, push, deadline)
	}
	return ok
}

// armNew arms a timeout that no other goroutine can see yet. Its error is Schedule's.
func (tm *Timer) armNew(t *Timeout, deadline int64, bound mayRefuse) error {
	if !tm.quota.acquire(bound) {
		_, err := tm.arm(t, deadline, bound)
		return err
	}
	t.beginNew(deadline)
	return tm.push(t, deadline)
}

// refusal returns the state of an arming that gets no permit. Timer.StopAll closes the queue before it returns permits,
// so a stopped timer never returns ErrFull.
func (tm *Timer) refusal() State {
	if tm.queue.refuses.Load() {
		return rejectedStopped
	}
	return Rejected
}

// hand makes sure that the worker takes t in time. If push is false, t is queued already.
func (tm *Timer) hand(t *Timeout, push bool, deadline int64) error {
	if push {
		return tm.push(t, deadline)
	}
	tm.alarm.announce(t, true)
	return nil
}

// push hands t, marked queued, to the worker. If the timer is stopped and rejects t for that, it returns ErrStopped.
func (tm *Timer) push(t *Timeout, deadline int64) error {
	l, isFar := &tm.queue.near, tm.queue.far.suits(deadline, tm.alarm.load())
	if isFar {
		l = &tm.queue.far.lane
	}
	depth, ok := tm.queue.push(t, l)
	if !ok {
		if !tm.guarded.refuse(t) {
			return nil
		}
		tm.quota.release(1)
		tm.rejected.Add(1)
		return ErrStopped
	}
	tm.alarm.announce(t, isFar)
	fileAt := l.fileAt
	if isFar && tm.queue.far.isLong.Load() {
		fileAt /= 4
	}
	if depth >= fileAt {
		tm.help(l, t, fileAt)
	} else if depth >= l.wakeAt && !tm.time.isInside() { // Timeout.Stop is allowed inside
		tm.alarm.expect(0)
	}
	return nil
}

// help makes the stripe of t shallower than a depth, in the goroutine of a producer, since one worker cannot keep up
// with many producers: it waits for its turn and files some of the timeouts.
func (tm *Timer) help(l *lane, t *Timeout, depth int32) {
	s := l.stripeOf(t)
	tm.turnstile.Lock()
	defer tm.turnstile.Unlock()
	if s.depth.Load() >= depth { // otherwise an earlier producer has filed the stripe
		tm.guarded.fileStripe(s)
	}
}

// StopAll ends the timer: every later arming is refused, and only tasks of expired timeouts still start. It returns all
// timeouts that were pending, now Canceled, in no order, except those of the library: see "Functions end, channels go
// on" in the package's documentation. Each has the Task that you armed: run or keep it.
//
// If several calls run at once, each returns the timeouts that it canceled, and none returns before all are canceled.
// StopAll does not wait for tasks. For each million pending it takes 0.1 to 0.5 s, and 20 MB while the result grows
// (bench, StopAll).
func (tm *Timer) StopAll() []*Timeout {
	tm.time.checkMade()
	tm.time.checkOutside()
	var left []*Timeout
	ended := make([]canceled, 0, portion)
	for more := true; more; {
		ended, more = tm.guarded.collect(ended[:0]) // the first call closes the queue: later armings are refused
		tm.quota.release(len(ended))                // after the close, so that no arming gets ErrFull
		tm.ending.Do(tm.endWorker)                  // after the close, so that nobody becomes the worker again
		for _, c := range ended {
			switch task := c.task.(type) {
			case hook.Survivor:
				tm.outlive(task, c.timeout.load().deadline())
			case hook.Task:
			default:
				left = append(left, c.timeout)
			}
		}
	}
	return left
}

// Shutdown calls StopAll, then waits until the worker and all tasks that were handed to the Executor have returned, or
// ctx is done. It returns StopAll's result, and ctx's error if it did not wait to the end; ctx does not cut StopAll
// short. If it returns no error, all tasks happen before its return. A task that calls Shutdown waits for itself: pass
// a ctx that ends.
func (tm *Timer) Shutdown(ctx context.Context) ([]*Timeout, error) {
	left := tm.StopAll()
	select {
	case <-tm.out.done:
	case <-ctx.Done():
		select {
		case <-tm.out.done: // both are done: it has waited to the end
		default:
			return left, ctx.Err()
		}
	}
	return left, nil
}

// endWorker is called once, after the queue is closed.
func (tm *Timer) endWorker() {
	tm.alarm.silence()
	if c := tm.time.manual; c != nil {
		c.detach(&tm.worker)
	}
	tm.out.Leave()
}
