package hashedwheel

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// A Timeout is one task and the time it is due. AfterFunc and Schedule return
// one already armed; embedded by value in a struct of the caller's own and
// bound by Init, it is armed, moved and stopped without an allocation, however often.
//
// All methods but Init are safe for concurrent use, from inside tasks too. A
// Timeout must not be copied, nor overwritten once it has been armed: its timer
// may hold on to it for a while after it was settled. Arm it again with Reset.
//
// The zero Timeout is Idle and unbound. That of a series (Every, Recur) is never
// Expired: it stays Pending from one run to the next.
//
//	 Init          Reset               its turn to run
//	──────▶ Idle ─────────▶ Pending ──────────────────────▶ Expired
//	                         ▲ │ │
//	                   Reset │ │ └─ Stop, Timer.Stop ─────▶ Cancelled
//	   (from any state but   │ │
//	    Idle, Pending too) ──┘ └─── timer stopped or full ─▶ Rejected
//
// (If the timer is full a Reset leads straight to Rejected.)
type Timeout struct {
	// word is all that callers and the worker contend for: deadline<<4 | queued<<3
	// | state. Every transition is one CAS on it, in word.go, so that racing calls
	// have one order: verify/spin checks all of them.
	word atomic.Int64

	timer *Timer // set by Init, then read only
	task  Task   // set by Init, then read only

	// link is the next timeout in the hand-over queue. It belongs to whoever
	// set queued, until the push; from there to the consumer, until unqueue.
	link *Timeout

	// Where the wheel keeps it. Guarded by Timer.mu.
	home home
	next *Timeout
	prev **Timeout
}

// A Timeout is one cache line; this does not compile if it grows.
const _ = uint(64 - unsafe.Sizeof(Timeout{}))

// armNew writes the word as a plain int64; this does not compile if it is larger
// than that.
const _ = uint(unsafe.Sizeof(word(0)) - unsafe.Sizeof(Timeout{}.word))

// A Task is what a Timeout runs when it expires. Run gets the Timeout that
// expired, so one Task value can serve many, and is called by the timer's
// Executor: by default in a goroutine, where it may block.
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

// Init binds an unused Timeout to the timer and task it will always have. It
// does not arm it: Reset does. Init must come before any other use of to. It
// panics if t or task is nil, and if to has ever been armed.
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
// the timer is stopped or full leaves it Rejected. Reset panics before Init.
//
// A zero or negative d is due at the next tick. One clock read, no allocation,
// no lock. Moving a timeout later is one CAS and nothing else, however often.
//
// What the caller did before an arming, or a Reset to another time, happens before
// the task runs. When Reset returns false the run of the last arming may be under
// way, or yet to begin: the new one does not wait for it.
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
// one that carries no monotonic reading, from a file or another process, is
// compared with the wall clock as it was in New: Reset(time.Until(at)) is better.
func (to *Timeout) ResetAt(at time.Time) bool {
	t := to.timer
	if t == nil {
		panic("hashedwheel: ResetAt before Init")
	}
	was, _ := to.arm(t, t.since(at))
	return was
}

// Stop prevents the task from running. It reports whether this call did: false
// means that the timeout had expired, was stopped by another call, was rejected
// or never armed. Stop does not wait for a task that has begun.
func (to *Timeout) Stop() bool {
	for {
		w := to.load()
		if w.state() != Pending {
			return false
		}
		if to.stop(w) {
			return true
		}
	}
}

// State returns the state. It may be out of date by the time it returns.
func (to *Timeout) State() State { return to.load().state() }

// Deadline returns the time that the last arming asked for, or the zero time if
// there was none: for a delay out of reach, some 18 years after New. The task
// starts no earlier, and at most one tick later. For a series it is that of the
// next run, which may have come due.
func (to *Timeout) Deadline() time.Time {
	w := to.load()
	if w.state() == Idle {
		return time.Time{}
	}
	deadline := w.deadline()
	if s, ok := to.task.(*series); ok && deadline == claimed {
		deadline = s.due.Load()
	}
	return to.timer.start.Add(time.Duration(deadline))
}

// Task returns the task given to Init or Schedule. For a Timeout made by
// AfterFunc it is a Task that calls the function; that of a series is the
// timer's own, and of no use to another Timeout.
func (to *Timeout) Task() Task { return to.task }

// Timer returns the timer that to is bound to, nil before Init.
func (to *Timeout) Timer() *Timer { return to.timer }
