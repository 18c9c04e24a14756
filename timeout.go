package hashedwheel

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// A Timeout is one task and its deadline. AfterFunc and Schedule return an armed Timeout. A Timeout that is a field of
// your own struct, bound by Init or InitFunc, is armed, moved and stopped without an allocation. Give the field a name:
// if a struct embeds a Timeout, fmt and slog show only the Timeout. The zero Timeout is Unarmed and unbound. All
// methods except Init, InitFunc and Release are safe for concurrent use, including from inside tasks, and with a lock
// held that the task takes.
//
// A Timeout must not be copied. Once it has been armed, do not overwrite it before Release has returned: until then its
// Timer may refer to it, even after Stop for two ticks or a tenth of a second, whichever is longer, and longer while
// the worker is blocked. An expired Timeout that has not been armed again may be overwritten once its task has begun.
// Otherwise in most cases the process panics, at the latest when the Timer uses the Timeout:
//
//	hashedwheel: armed Timeout of *main.lease was copied or overwritten (did a slice grow, or was the struct that
//	holds it cleared? call Release first)
//
// Vet's copylocks finds assignments and calls that copy a Timeout, but not *s = S{}. Three mistakes go unnoticed. (1) A
// copy made within that time of a Reset, Move or Stop, as by append: Stop of one may return true while the other's task
// runs, or one of the two never runs. (2) A copy that is only moved later: the original runs. (3) Overwriting one
// Timeout with another within that time: other timeouts in the queue may be lost.
//
//	 Init          Reset          its turn to run
//	─────▶ Unarmed ────▶ Pending ────────────────▶ Expired
//	                      ▲ │ │
//	         Reset, Move  │ │ └─ Stop, Timer.StopAll ─▶ Canceled
//	  (Reset: from any    │ │
//	  state, Move: from   │ └─ timer stopped or full ─▶ Rejected
//	  Pending)          ──┘    (also from other states)
type Timeout struct {
	word  atomic.Int64 // any goroutine changes it at any time, by one CAS: see word.go
	timer *Timer       // set by Init, then read only
	task  Task         // set by Init, then read only

	// The next in the queue. The goroutine that set queued owns link until the push, then guarded.mu guards it until
	// unqueue.
	link *Timeout

	home home // guarded by guarded.mu
}

// This does not compile if a Timeout is more than 48 bytes.
const _ = uint(48 - unsafe.Sizeof(Timeout{}))

// A Task runs when its Timeout expires. The timer's Executor calls Run with that Timeout, so one Task can serve many.
// If the Timeout is Pending then, it was armed again after it expired.
type Task interface {
	Run(to *Timeout)
}

// TaskFunc is a function used as a Task.
type TaskFunc func(to *Timeout)

// Run calls f(to).
func (f TaskFunc) Run(to *Timeout) { f(to) }

// String returns the name of the function.
func (f TaskFunc) String() string { return taskname.Of(f) }

// LogValue returns String, for package slog: JSON has no functions.
func (f TaskFunc) LogValue() slog.Value { return slog.StringValue(f.String()) }

type plainFunc func() // AfterFunc's Task; the conversion allocates nothing

func (f plainFunc) Run(*Timeout)         { f() }
func (f plainFunc) String() string       { return taskname.Of(f) }
func (f plainFunc) LogValue() slog.Value { return slog.StringValue(f.String()) }

// A State is a stage of a Timeout's life.
type State uint8

const (
	Unarmed  State = iota // never armed
	Pending               // armed, and neither expired nor stopped; the deadline may have passed
	Expired               // handed to the Executor; the task waits, runs or has returned
	Canceled              // stopped by Timeout.Stop or Timer.StopAll; the task does not run
	Rejected              // refused: the timer was stopped or full; the task does not run
)

var stateNames = [...]string{"Unarmed", "Pending", "Expired", "Canceled", "Rejected", "State(?)"}

// reason returns why an arming was refused, nil if it was not.
func (s State) reason() error {
	switch s {
	case Rejected:
		return ErrFull
	case rejectedStopped:
		return ErrStopped
	}
	return nil
}

// String returns the name of the state.
func (s State) String() string { return stateNames[min(int(s), len(stateNames)-1)] }

// Init binds an unused Timeout to its timer and task, once and before any other use, and returns it. Reset arms it.
// Init panics if tm or task is nil, and if t has ever been armed.
func (t *Timeout) Init(tm *Timer, task Task) *Timeout {
	switch {
	case tm == nil:
		panic("hashedwheel: Init with a nil Timer")
	case isNil(task):
		panic("hashedwheel: Init with a nil Task")
	case t.State() != Unarmed:
		panic("hashedwheel: Init of a Timeout that is " + t.State().String())
	}
	tm.time.checkMade()
	t.timer, t.task = tm, task
	return t
}

// InitFunc is Init with a plain function. It panics if f is nil.
func (t *Timeout) InitFunc(tm *Timer, f func()) *Timeout {
	if f == nil {
		panic("hashedwheel: InitFunc with a nil func")
	}
	return t.Init(tm, plainFunc(f))
}

func isNil(task Task) bool {
	f, ok := task.(TaskFunc)
	return task == nil || ok && f == nil
}

// Reset arms t, or moves it if it is pending, to expire d from now; zero or less is due at once, within a tick. It
// reports whether t was pending, as time.Timer.Reset does. On a stopped timer t is Rejected: see Err. A full timer
// refuses Arm, not Reset. Reset panics before Init, and waits only in a flood or for Timer.StopAll.
//
// A Reset happens before the run that it causes. When Reset returns false, the last run may still be in progress or
// about to begin, and the new run does not wait for it.
func (t *Timeout) Reset(d time.Duration) bool {
	tm := t.bound("Reset")
	was, _ := tm.arm(t, tm.deadlineIn(d), unbounded)
	return was
}

// ResetAt is Reset to a time from the timer's clock, without a clock read. A time before New counts as New. A time
// without a monotonic reading, such as a time from a file, is compared with the wall clock as it was in New: prefer
// Reset(time.Until(at)).
func (t *Timeout) ResetAt(at time.Time) bool {
	tm := t.bound("ResetAt")
	was, _ := tm.arm(t, tm.time.since(at), unbounded)
	return was
}

// Arm is Reset for timeouts that others cause, such as clients: a full timer refuses it with ErrFull, a stopped one
// with ErrStopped. A pending t is moved, never refused. If several goroutines arm and stop t while Timer.StopAll runs,
// the error may go to another of their calls; Err is right once all have returned.
func (t *Timeout) Arm(d time.Duration) error {
	tm := t.bound("Arm")
	_, err := tm.arm(t, tm.deadlineIn(d), bounded)
	return err
}

// ArmAt is Arm to a time from the timer's clock, as ResetAt is Reset.
func (t *Timeout) ArmAt(at time.Time) error {
	tm := t.bound("ArmAt")
	_, err := tm.arm(t, tm.time.since(at), bounded)
	return err
}

// Move moves t, if it is pending, to expire d from now, and reports whether t was pending. Unlike Reset it never arms,
// so it suits an idle timeout that every read moves: a read that races with the expiry, or with a Stop, does not bring
// the timeout back. As with Reset, zero or less is due at once; Move panics before Init, and waits only as Reset does.
func (t *Timeout) Move(d time.Duration) bool {
	tm := t.bound("Move")
	return t.load().state() == Pending && tm.move(t, tm.deadlineIn(d))
}

// MoveAt is Move to a time from the timer's clock, as ResetAt is Reset.
func (t *Timeout) MoveAt(at time.Time) bool {
	tm := t.bound("MoveAt")
	return tm.move(t, tm.time.since(at))
}

// bound returns the timer, and panics if a method needs one and there is none.
func (t *Timeout) bound(method string) *Timer {
	if t.timer == nil {
		panic("hashedwheel: " + method + " before Init")
	}
	return t.timer
}

// Stop prevents the task from running, and reports whether this call did. It returns false if t was not pending. If
// Timer.StopAll has canceled t, Stop also returns false, and no task runs. Stop does not wait for a task that has
// begun; it waits only in a flood or for Timer.StopAll. If that task arms t again, let it first check a flag that you
// set under a lock.
func (t *Timeout) Stop() bool {
	for w := t.load(); w.state() == Pending; w = t.load() {
		push, ok := t.cancel(w)
		if !ok {
			continue
		}
		t.timer.quota.release(1)
		if push {
			_ = t.timer.push(t, maxDeadline)
		} else if isCounted(t) && t.timer.queue.far.isHot(t) {
			t.timer.help(&t.timer.queue.far.lane, t, t.timer.queue.far.hotAt)
		}
		return true
	}
	return false
}

// Release is Stop, and has the Timer let go of t: once Release has returned, and the task of an expired t has begun,
// the struct that holds t may be cleared, copied, or put into a pool. No other goroutine may be calling a method of t.
// The zero Timeout that clearing leaves is bound again by Init.
//
// Release takes the Timer's lock and sorts the timeouts queued near t into the wheel. That takes about a microsecond if
// t was armed more than 50ms ago, and up to a millisecond in a flood. Call it at the end of a struct's life, not for
// every call.
func (t *Timeout) Release() bool {
	if t.timer == nil {
		return false
	}
	canceled := t.timer.guarded.release(t)
	if canceled {
		t.timer.quota.release(1)
	}
	return canceled
}

// State returns the state, which may be out of date by the time it returns.
func (t *Timeout) State() State {
	return min(t.load().state(), Rejected) // rejectedStopped is Rejected to users
}

// Err returns ErrFull or ErrStopped if the last call that armed t was refused for that reason, otherwise nil.
func (t *Timeout) Err() error {
	return t.load().state().reason()
}

// Deadline returns the deadline that was set last, even after t has expired or was stopped, or the zero time if t was
// never armed. A delay too large for the clock has a deadline about 9 years after New.
func (t *Timeout) Deadline() time.Time {
	w := t.load()
	if w.state() == Unarmed {
		return time.Time{}
	}
	return t.timer.time.at(w.deadline())
}

// Task returns the task that was given to Init or Schedule; after AfterFunc or InitFunc, a Task that calls the func. It
// returns nil before Init, and for the Timeouts of Series and packages keyed, idle and wheeltime, which only a panic
// handler gets.
func (t *Timeout) Task() Task {
	if _, isHook := t.task.(hook.Task); isHook {
		return nil
	}
	return t.task
}

// Timer returns the timer that t is bound to, nil before Init.
func (t *Timeout) Timer() *Timer { return t.timer }

// String returns state, deadline and task, and is safe at any time. Printing a struct with a Timeout field is a race.
func (t *Timeout) String() string {
	if t.task == nil {
		return "hashedwheel.Timeout(Unarmed)"
	}
	deadline := t.Deadline().Format(time.DateTime + ".000")
	return fmt.Sprintf("hashedwheel.Timeout(%v, %s, %s)", t.State(), deadline, taskname.Shown(t.task))
}

// LogValue returns String, for package slog, which calls it for a Timeout that is logged, not for one in a slice or a
// struct.
func (t *Timeout) LogValue() slog.Value { return slog.StringValue(t.String()) }

func init() {
	hook.HasPassed = func(timeout any) bool {
		t := timeout.(*Timeout)
		return t.load().deadline() <= t.timer.time.now()
	}
}
