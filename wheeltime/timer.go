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
// panic is handled like that of any task. But if d is zero or less, f starts at once in a new goroutine, and if tm has
// been stopped, in a new goroutine once d has passed: then a panic crashes the program, as with time.AfterFunc, and
// Shutdown of tm does not wait for f. AfterFunc panics if f is nil. It allocates once.
//
// If Timer.StopAll of tm comes before the Timer has expired, f does not run unless Reset arms the Timer again, and Stop
// of the Timer still returns true.
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
	tr := &t.trigger
	tm := tr.to.Timer()
	if d <= 0 {
		return t.startDue()
	}
	at := tm.Now().Add(d) // read before the lock: the clock may be the user's
	tr.mu.Lock()
	defer tr.mu.Unlock()
	was = tr.clear()
	if !tr.armOnWheel(at) {
		tr.armInTime(d, t.fire)
	}
	return was
}

// startDue is start with a delay of zero or less.
func (t *Timer) startDue() (was bool) {
	tr := &t.trigger
	var now time.Time
	if t.f == nil {
		now = readClock(tr.to.Timer())
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	was = tr.stopLocked()
	if t.f == nil {
		tr.send(now)
		return was
	}
	go t.fire(tr.nextInTime())
	return was
}

// timerTask is a Timer as the task of its Timeout.
type timerTask Timer

// Run fires the Timer, unless Stop or Reset came first.
func (task *timerTask) Run(*hashedwheel.Timeout) { (*Timer)(task).fire(byWheel) }

// Outlives reports whether there is a channel, which goroutines may wait for. A Timer of AfterFunc stays on, so that
// its Stop returns true.
func (task *timerTask) Outlives() bool { return task.f == nil }

// TimerStopped fires a Timer with a channel, unless Stop or Reset came first.
func (task *timerTask) TimerStopped(now time.Time) {
	if task.f == nil {
		(*Timer)(task).end(byTimerStopped, withWall(now))
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
	var now time.Time
	if t.f == nil {
		now = readClock(t.trigger.to.Timer())
	}
	if t.end(arming, now) && t.f != nil {
		t.f()
	}
}

// end reports whether the arming is due. If it is, end turns the trigger off, and sends the time if there is a channel.
func (t *Timer) end(arming uint32, now time.Time) (wasDue bool) {
	tr := &t.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if !tr.isDue(arming) {
		return false
	}
	tr.send(tr.notBeforeDue(now))
	tr.mode = off
	return true
}
