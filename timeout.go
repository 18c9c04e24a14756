package hashedwheel

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// A Timeout is one task and the time it is due. AfterFunc and Schedule return
// one already armed; embedded by value in a struct of the caller's own and
// bound by Init, it costs no allocation in its whole life.
//
// All methods but Init are safe for concurrent use, from inside tasks too. A
// Timeout must not be copied, nor overwritten before its timer has let go of
// it, up to two ticks after it was settled: arm it again with Reset instead.
//
// The zero Timeout is Idle and unbound.
//
//	 Init          Reset               its turn to run
//	──────▶ Idle ─────────▶ Pending ──────────────────────▶ Expired
//	                         ▲ │ │
//	                   Reset │ │ └─ Stop, Timer.Stop ─────▶ Cancelled
//	   (from any state but   │ │
//	    Idle, Pending too) ──┘ └─── timer stopped or full ─▶ Rejected
type Timeout struct {
	// word is all of the mutable state: deadline<<4 | queued<<3 | state. Every
	// transition is one CAS on it, in this file, so racing calls have one order.
	word atomic.Int64

	timer *Timer // set by Init, then read only
	task  Task   // set by Init, then read only

	// link is the next timeout in the hand-over queue. It belongs to whoever
	// set queued, until the push; from there to the consumer, until release.
	link *Timeout

	// Where the wheel keeps it. Guarded by Timer.mu.
	home home
	next *Timeout
	prev **Timeout
}

// A Timeout is one cache line; this does not compile if it grows.
const _ = uint(64 - unsafe.Sizeof(Timeout{}))

// A Task is what a Timeout runs when it expires. Run gets the Timeout that
// expired, so one Task value can serve many, and is called by the timer's
// Executor: by default in a goroutine of its own.
type Task interface {
	Run(to *Timeout)
}

// TaskFunc is a function used as a Task.
type TaskFunc func(to *Timeout)

// Run calls f(to).
func (f TaskFunc) Run(to *Timeout) { f(to) }

// plainFunc is the Task of AfterFunc; a func value is a pointer, so the
// conversion allocates nothing.
type plainFunc func()

func (f plainFunc) Run(*Timeout) { f() }

// State is where a Timeout is in its life.
type State uint8

const (
	Idle      State = iota // never armed
	Pending                // armed; its deadline is to come, or its turn to run
	Expired                // handed to the executor; the task may be yet to run, running or done
	Cancelled              // stopped by Timeout.Stop or Timer.Stop; this arming never runs
	Rejected               // refused, because the timer was stopped or full; this arming never runs
)

// String returns the name of the state.
func (s State) String() string {
	switch s {
	case Idle:
		return "Idle"
	case Pending:
		return "Pending"
	case Expired:
		return "Expired"
	case Cancelled:
		return "Cancelled"
	case Rejected:
		return "Rejected"
	}
	return "State(?)"
}

// word is one value of Timeout.word.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the hand-over queue, or about to be pushed by the goroutine that set it
	deadlineShift = 4

	maxDeadline = 1<<(63-deadlineShift) - 1 // ns since the timer's start, about 18 years: never
	minDeadline = -1 << (63 - deadlineShift)
)

func pack(deadline int64, flags int64, s State) word {
	return word(deadline<<deadlineShift | flags | int64(s))
}

func (w word) state() State         { return State(w & stateMask) }
func (w word) queued() bool         { return w&queued != 0 }
func (w word) deadline() int64      { return int64(w) >> deadlineShift }
func (w word) settled(s State) word { return w&^stateMask | word(s) }

func (to *Timeout) load() word { return word(to.word.Load()) }

func (to *Timeout) cas(old, new word) bool {
	return to.word.CompareAndSwap(int64(old), int64(new))
}

// Init binds an unused Timeout to the timer and task it will always have. It
// does not arm it: Reset does. Init must come before any other use of to, and
// panics if to has ever been armed.
func (to *Timeout) Init(t *Timer, task Task) {
	if t == nil {
		panic("hashedwheel: Init with a nil Timer")
	}
	if isNil(task) {
		panic("hashedwheel: Init with a nil Task")
	}
	if to.State() != Idle {
		panic("hashedwheel: Init of a Timeout that is " + to.State().String())
	}
	to.timer, to.task = t, task
}

func isNil(task Task) bool {
	f, ok := task.(TaskFunc)
	return task == nil || ok && f == nil
}

// Reset arms to, or moves it if it is pending, to expire d from now. It reports
// whether it was pending, as time.Timer.Reset does; an arming refused because
// the timer is stopped or full leaves it Rejected.
//
// A zero or negative d is due at the next tick. One clock read, no allocation,
// no lock. Moving a timeout later is one CAS and nothing else, however often.
func (to *Timeout) Reset(d time.Duration) bool {
	t := to.timer
	if t == nil {
		panic("hashedwheel: Reset before Init")
	}
	was, _ := to.arm(t, t.deadlineIn(d))
	return was
}

// ResetAt is Reset to a time rather than a delay, for a caller that has read
// the clock anyway: it reads none. The time should come from the timer's clock;
// one that carries no monotonic reading is compared by wall time.
func (to *Timeout) ResetAt(at time.Time) bool {
	t := to.timer
	if t == nil {
		panic("hashedwheel: ResetAt before Init")
	}
	was, _ := to.arm(t, clamp(int64(at.Sub(t.start))))
	return was
}

// Stop prevents the task from running. It reports whether this call did: false
// means that the timeout had expired, was stopped by another call, was rejected
// or never armed. Stop does not wait for a task that has begun.
func (to *Timeout) Stop() bool {
	for {
		w := to.load()
		if w.state() != Pending {
			if !to.isBetweenRuns(w) {
				return false
			}
			if to.cas(w, w.settled(Cancelled)) {
				return true
			}
			continue
		}
		if !to.cas(w, w.settled(Cancelled)|queued) {
			continue
		}
		to.timer.release()
		if !w.queued() {
			_ = to.timer.push(to) // so that the worker takes it out of the wheel
		}
		return true
	}
}

// State returns the state. It may be out of date by the time it returns.
func (to *Timeout) State() State { return to.load().state() }

// Deadline returns the time that the last arming asked for, or the zero time if
// there was none. The task starts no earlier, and at most one tick later.
func (to *Timeout) Deadline() time.Time {
	w := to.load()
	if w.state() == Idle {
		return time.Time{}
	}
	return to.timer.start.Add(time.Duration(w.deadline()))
}

// Task returns the task given to Init or Schedule. For a Timeout made by
// AfterFunc it is a Task that calls the function.
func (to *Timeout) Task() Task { return to.task }

// Timer returns the timer that to is bound to, nil before Init.
func (to *Timeout) Timer() *Timer { return to.timer }

// arm makes to pending with a new deadline and reports whether it was. A
// timeout that must reach the worker is pushed, unless it already is queued; a
// later deadline need not: the worker finds it when it visits the earlier tick.
func (to *Timeout) arm(t *Timer, deadline int64) (was bool, err error) {
	for {
		w := to.load()
		if w.state() == Pending {
			next := w&queued | pack(deadline, 0, Pending)
			if deadline < w.deadline() {
				next |= queued
			}
			if next != w && !to.cas(w, next) {
				continue
			}
			if next&^w&queued != 0 {
				err = t.push(to)
			}
			return true, err
		}
		if !t.reserve() {
			if to.cas(w, w&queued|pack(deadline, 0, Rejected)) {
				t.rejected.Add(1)
				return false, ErrFull
			}
			continue
		}
		if !to.cas(w, pack(deadline, queued, Pending)) {
			t.release()
			continue
		}
		if !w.queued() {
			err = t.push(to)
		}
		return false, err
	}
}

// armFrom arms to if it is in the given state, and reports whether it was. The
// limit on pending timeouts does not apply.
func (to *Timeout) armFrom(s State, deadline int64) (was bool, err error) {
	for {
		w := to.load()
		if w.state() != s {
			return false, nil
		}
		to.timer.reserveAlways()
		if !to.cas(w, pack(deadline, queued, Pending)) {
			to.timer.release()
			continue
		}
		if !w.queued() {
			err = to.timer.push(to)
		}
		return true, err
	}
}

// isBetweenRuns reports whether w is that of a series which has expired and not
// come to run yet: Stop still can prevent that run, and with it the series.
func (to *Timeout) isBetweenRuns(w word) bool {
	if w.state() != Expired {
		return false
	}
	_, ok := to.task.(*series)
	return ok
}

// claim makes to Expired if its deadline is no later than due, and reports
// whether it did: the caller then owes its task one run. A queued timeout is
// not claimed, it waits for the next drain.
func (to *Timeout) claim(due int64) bool {
	for {
		w := to.load()
		if w.state() != Pending || w.queued() || w.deadline() > due {
			return false
		}
		if to.cas(w, w.settled(Expired)) {
			return true
		}
	}
}

// unqueue ends the consumer's ownership of link and returns the word as it was
// left. From here on the next arming or Stop may push to again.
func (to *Timeout) unqueue() word {
	to.link = nil // let the collector have it
	for {
		w := to.load()
		if to.cas(w, w&^queued) {
			return w &^ queued
		}
	}
}

// cancel ends a pending arming for Timer.Stop and reports whether this call did.
func (to *Timeout) cancel() bool {
	for {
		w := to.load()
		if w.state() != Pending {
			return false
		}
		if to.cas(w, w.settled(Cancelled)) {
			return true
		}
	}
}

// refuse gives up a push that came too late, together with the arming it was
// for or any other that has come to rely on it. It reports whether there was
// one that nobody had cancelled yet.
func (to *Timeout) refuse() bool {
	to.link = nil // let the collector have it
	for {
		w := to.load()
		next := w &^ queued
		if w.state() == Pending {
			next = next.settled(Rejected)
		}
		if to.cas(w, next) {
			return w.state() == Pending
		}
	}
}
