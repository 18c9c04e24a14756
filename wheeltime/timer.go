package wheeltime

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// A Timer is the time package's Timer on a wheel. It is made by NewTimer or AfterFunc, is safe for concurrent use and
// must not be copied. Stop and Reset of a zero Timer panic.
//
// Reset arms a Timer again at any time, and allocates nothing until the wheel is stopped, so one Timer can serve a
// whole loop.
type Timer struct {
	C       <-chan time.Time // gets the time at which the Timer fired; nil for a Timer of AfterFunc
	f       func()           // AfterFunc's
	trigger trigger
}

// NewTimer returns a Timer that sends the time on its channel C once d has passed. It allocates the Timer and its
// channel.
func NewTimer(tm *hashedwheel.Timer, d time.Duration) *Timer {
	if tm == nil {
		panic("wheeltime: NewTimer with a nil Timer")
	}
	t := new(Timer)
	t.trigger.c = make(chan time.Time, 1)
	t.C = t.trigger.c
	t.trigger.to.Init(tm, (*timerTask)(t))
	t.start(d)
	return t
}

// AfterFunc returns a Timer that calls f once d has passed. f is a task of tm, so the Executor of tm runs it, and a
// panic is handled like that of any task. But if d is zero or less, f starts at once in a new goroutine: then a panic
// crashes the program, as with time.AfterFunc, and Shutdown of tm does not wait for f. AfterFunc panics if f is nil. It
// allocates once.
//
// If f has not started when Timer.StopAll of tm is called, or if the Timer is made or Reset later, f never starts. Such
// a Timer is like one whose delay never ends: Stop returns true, and Reset returns what Stop would have returned.
func AfterFunc(tm *hashedwheel.Timer, d time.Duration, f func()) *Timer {
	if tm == nil {
		panic("wheeltime: AfterFunc with a nil Timer")
	}
	if f == nil {
		panic("wheeltime: AfterFunc with a nil func")
	}
	t := &Timer{f: f}
	t.trigger.to.Init(tm, (*timerTask)(t))
	t.start(d)
	return t
}

// Stop prevents the Timer from firing, and reports whether it did: then f does not start. Stop does not wait for an f
// that has started. Nothing is received from C after Stop has returned: if the value is still in C, Stop takes it back
// and returns true.
func (t *Timer) Stop() bool {
	t.mustBeMade("Stop")
	return t.trigger.stop()
}

// Reset makes the Timer fire d from now, and returns what Stop would have returned. No older value is received after
// Reset has returned. For a Timer of AfterFunc, an f that has started may still be running when the next one starts.
func (t *Timer) Reset(d time.Duration) bool {
	t.mustBeMade("Reset")
	return t.start(d)
}

// String returns the state and the time at which the Timer is due.
func (t *Timer) String() string { return fmt.Sprintf("wheeltime.Timer(%s)", t.trigger.describe()) }

func (t *Timer) mustBeMade(call string) {
	if t.trigger.to.Timer() == nil {
		panic("wheeltime: " + call + " called on uninitialized Timer: NewTimer and AfterFunc make one")
	}
}

// start sets the trigger, and reports whether it was on.
func (t *Timer) start(d time.Duration) (was bool) {
	if d <= 0 {
		return t.startDue()
	}
	tr := &t.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	was = tr.clear()
	if !tr.armOnWheel(tr.now().Add(d)) && t.f == nil {
		tr.armInTime(d, t.fire)
	}
	return was
}

// startDue is start with a delay of zero or less, which does not wait for the wheel's next tick.
func (t *Timer) startDue() (was bool) {
	tr := &t.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	was = tr.stopLocked()
	if t.f == nil {
		tr.send(tr.now())
	} else if tr.armOnWheel(tr.now().Add(time.Hour)) && tr.to.Stop() { // false if the wheel has been stopped
		go t.fire(tr.nextInTime())
	}
	return was
}

// timerTask is a Timer as the task of its Timeout.
type timerTask Timer

// Run fires the Timer, unless Stop or Reset came first.
func (task *timerTask) Run(*hashedwheel.Timeout) { (*Timer)(task).fire(byWheel) }

// Outlive has the time package fire the Timer if it has a channel, unless Stop or Reset came first.
func (task *timerTask) Outlive(rest time.Duration) {
	tr := &task.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	switch {
	case task.f != nil || !tr.isLeft():
	case rest <= 0:
		tr.mode = off
		tr.send(tr.now())
	default:
		tr.armInTime(rest, (*Timer)(task).fire)
	}
}

// Brief keeps task off the user's Executor, unless it calls a function.
func (task *timerTask) Brief() hook.Brief { return task.f == nil }

// TaskName returns the name under which the Timer is shown.
func (task *timerTask) TaskName() string {
	if task.f != nil {
		return taskname.Of(task.f)
	}
	return "wheeltime.NewTimer"
}

// fire sends the time or calls f, if the run of an arming comes before Stop and Reset.
func (t *Timer) fire(arming uint32) {
	if t.end(arming) && t.f != nil {
		t.f()
	}
}

// end reports whether the arming is due. If it is, end turns the trigger off, and sends the time if there is a channel.
func (t *Timer) end(arming uint32) (wasDue bool) {
	tr := &t.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if !tr.isDue(arming) {
		return false
	}
	tr.mode = off
	if t.f == nil {
		tr.send(tr.now())
	}
	return true
}
