package hashedwheel

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// A Timeout is one task and the time it is due. AfterFunc and Schedule return one already
// armed; embedded by value in a struct of the caller's own and bound by Init, it is armed,
// moved and stopped without an allocation. The zero Timeout is Idle and unbound. All methods
// but Init are safe for concurrent use, from inside tasks too.
//
// A Timeout must not be copied, nor overwritten once it has been armed: its timer may hold on
// to it for a while after it was settled. Vet's copylocks finds assignments and calls that
// copy one, not a slice that grows by append or a struct cleared in a pool: the timer panics
// when it meets such a Timeout. It does not find a copy made within a tick of the arming, nor
// one that is only moved later or not used again: then the original runs when it was due.
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
	// Ground rules: who may touch which field, and when.
	word  atomic.Int64 // everybody's, at any time: deadline<<4 | queued<<3 | state, changed by one CAS, in word.go
	timer *Timer       // Init's, then read only
	task  Task         // Init's, then read only
	link  *Timeout     // the next in the queue; whoever set queued owns it until the push, then the consumer until unqueue
	home  home         // where it is filed; this and the links of that list are guarded by the lock
	next  *Timeout
	prev  **Timeout
}

// These do not compile if a Timeout is more than a cache line, or its word more than
// the int64 that beginNew writes.
const (
	_ = uint(64 - unsafe.Sizeof(Timeout{}))
	_ = uint(unsafe.Sizeof(word(0)) - unsafe.Sizeof(Timeout{}.word))
)

// A Task is what a Timeout runs when it expires. The timer's Executor calls Run: by default in
// a goroutine, where it may block. Run gets the Timeout that expired: one Task can serve many.
type Task interface {
	Run(to *Timeout)
}

// TaskFunc is a function used as a Task.
type TaskFunc func(to *Timeout)

// Run calls f(to).
func (f TaskFunc) Run(to *Timeout) { f(to) }

type plainFunc func() // AfterFunc's Task; the conversion allocates nothing

func (f plainFunc) Run(*Timeout) { f() }

// State is where a Timeout is in its life.
type State uint8

const (
	Idle      State = iota // never armed
	Pending                // armed; its deadline is to come, or its turn to run
	Expired                // handed to the executor; the task may be yet to run, running or done
	Cancelled              // stopped by Timeout.Stop or Timer.Stop; this arming never runs
	Rejected               // refused: the timer was stopped or full; this arming never runs
)

var stateNames = [...]string{"Idle", "Pending", "Expired", "Cancelled", "Rejected"}

// String returns the name of the state.
func (s State) String() string {
	if int(s) >= len(stateNames) {
		return "State(?)"
	}
	return stateNames[s]
}

// Init binds an unused Timeout to its timer and task, once and before any other use.
// Reset arms it. Init panics if tm or task is nil, and if t has ever been armed.
func (t *Timeout) Init(tm *Timer, task Task) {
	switch {
	case tm == nil:
		panic("hashedwheel: Init with a nil Timer")
	case isNil(task):
		panic("hashedwheel: Init with a nil Task")
	case t.State() != Idle:
		panic("hashedwheel: Init of a Timeout that is " + t.State().String())
	}
	t.timer, t.task = tm, task
}

func isNil(task Task) bool {
	f, ok := task.(TaskFunc)
	return task == nil || ok && f == nil
}

// Reset arms t, or moves it if it is pending, to expire d from now; zero or less is due at the
// next tick. It reports whether it was pending, as time.Timer.Reset does; an arming refused
// because the timer is stopped or full leaves it Rejected. Reset panics before Init.
//
// One clock read, no allocation, no lock. Moving a timeout later is that read and one CAS.
//
// What the caller did before an arming, or a Reset to another time, happens before the task
// runs. When Reset returns false the run of the last arming may be under way, or yet to begin:
// the new one does not wait for it.
func (t *Timeout) Reset(d time.Duration) bool {
	tm := t.timer
	if tm == nil {
		panic("hashedwheel: Reset before Init")
	}
	return tm.arm(t, tm.deadlineIn(d))
}

// ResetAt is Reset to a time that comes from the timer's clock: it reads none. A time without
// a monotonic reading, from a file or another process, is compared with the wall clock as it
// was in New: Reset(time.Until(at)) is better.
func (t *Timeout) ResetAt(at time.Time) bool {
	tm := t.timer
	if tm == nil {
		panic("hashedwheel: ResetAt before Init")
	}
	return tm.arm(t, tm.since(at))
}

// Stop prevents the task from running, and reports whether this call did: false means that t
// was not pending any more, or never armed. It does not wait for a task that has begun.
func (t *Timeout) Stop() bool {
	for {
		w := t.load()
		if w.state() != Pending {
			return false
		}
		if push, ok := t.cancel(w); ok {
			t.timer.room.release(1)
			t.timer.pay(t, push)
			return true
		}
	}
}

// State returns the state. It may be out of date by the time it returns.
func (t *Timeout) State() State { return min(t.load().state(), Rejected) }

// Err tells why the last arming was refused, ErrFull or ErrStopped; nil if it was not.
func (t *Timeout) Err() error {
	switch t.load().state() {
	case Rejected:
		return ErrFull
	case tooLate:
		return ErrStopped
	}
	return nil
}

// Deadline returns the time that the last arming asked for, or the zero time if there
// was none. A delay out of reach gives one some 18 years after New.
func (t *Timeout) Deadline() time.Time {
	w := t.load()
	if w.state() == Idle {
		return time.Time{}
	}
	return t.timer.at(w.deadline())
}

// Task returns the task given to Init or Schedule; AfterFunc's calls the function.
func (t *Timeout) Task() Task { return t.task }

// Timer returns the timer that t is bound to, nil before Init.
func (t *Timeout) Timer() *Timer { return t.timer }

// String returns what %v prints of a *Timeout: state, deadline and task. It is safe at
// any time. (To print a struct that holds a Timeout by value is not: fmt reads its fields.)
func (t *Timeout) String() string {
	if t.task == nil {
		return "hashedwheel.Timeout(Idle)"
	}
	return fmt.Sprintf("hashedwheel.Timeout(%v, %v, %s)", t.State(), t.Deadline().Format(time.DateTime+".000"), taskname.Of(t.task))
}
