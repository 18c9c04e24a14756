package wheeltime

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// A Timer is package time's Timer on a wheel. It is made by NewTimer or AfterFunc, is safe for concurrent use and must
// not be copied. Stop and Reset of a zero Timer panic.
//
// Reset arms a Timer again at any time, and allocates nothing while the wheel is not stopped, so one Timer can serve a
// whole loop.
type Timer struct {
	C     <-chan time.Time // gets the time at which the Timer fired; nil for a Timer of AfterFunc
	f     func()           // AfterFunc's
	alarm alarm
}

// NewTimer returns a Timer that sends the time on its channel C once d has passed, at most one tick of tm later; at
// once if d is zero or less. It allocates the Timer and its channel.
//
// Until d has passed, or Stop, the wheel keeps the Timer, even if the program has no reference to it.
func NewTimer(tm *hashedwheel.Timer, d time.Duration) *Timer {
	if tm == nil {
		panic("wheeltime: NewTimer with a nil Timer")
	}
	t := new(Timer)
	t.alarm.c = make(chan time.Time, 1)
	t.C = t.alarm.c
	t.alarm.to.Init(tm, (*timerTask)(t))
	t.start(d)
	return t
}

// AfterFunc returns a Timer that calls f once d has passed, at most one tick of tm later. The Executor of tm runs f: by
// default in a goroutine. If d is zero or less, f starts at once in a new goroutine; if tm has been stopped, in a new
// goroutine once d has passed. Shutdown of tm waits for neither of these. AfterFunc panics if f is nil. One allocation.
func AfterFunc(tm *hashedwheel.Timer, d time.Duration, f func()) *Timer {
	if tm == nil {
		panic("wheeltime: AfterFunc with a nil Timer")
	}
	if f == nil {
		panic("wheeltime: AfterFunc with a nil func")
	}
	t := &Timer{f: f}
	t.alarm.to.Init(tm, (*timerTask)(t))
	t.start(d)
	return t
}

// Stop prevents the Timer from firing, and reports whether it did: then f does not start. Nothing is received from C
// after Stop has returned. If the value is still in C, Stop takes it back and returns true; Stop also returns true if
// Timer.Stop of tm has ended the Timer. So C need not be drained after a Stop; code that does, by if !t.Stop() { <-t.C
// }, works as before.
//
// Stop does not wait for an f that has started.
func (t *Timer) Stop() bool {
	t.mustBeMade("Stop")
	return t.alarm.stop()
}

// Reset makes the Timer fire d from now, at once if d is zero or less, and returns what Stop would have returned. No
// older value is received after Reset has returned. For a Timer of AfterFunc, an f that has started may still be
// running when the next one starts.
func (t *Timer) Reset(d time.Duration) bool {
	t.mustBeMade("Reset")
	return t.start(d)
}

// String returns the state and the time at which the Timer is due.
func (t *Timer) String() string { return fmt.Sprintf("wheeltime.Timer(%s)", t.alarm.describe()) }

func (t *Timer) mustBeMade(call string) {
	if t.alarm.to.Timer() == nil {
		panic("wheeltime: " + call + " called on uninitialized Timer: NewTimer and AfterFunc make one")
	}
}

// start sets the alarm, and reports whether it was on.
func (t *Timer) start(d time.Duration) (was bool) {
	a := &t.alarm
	tm := a.to.Timer()
	if d <= 0 {
		return t.startDue()
	}
	at := tm.Now().Add(d) // read before the lock: the clock may be the user's
	a.mu.Lock()
	defer a.mu.Unlock()
	was = a.clear()
	if !a.armOnWheel(at) {
		a.armInTime(d, t.fire)
	}
	return was
}

// startDue is start with a delay of zero or less.
func (t *Timer) startDue() (was bool) {
	a := &t.alarm
	var now time.Time
	if t.f == nil {
		now = readClock(a.to.Timer())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	was = a.stopLocked()
	if t.f == nil {
		a.send(now)
		return was
	}
	go t.fire(a.nextInTime())
	return was
}

// timerTask is a Timer as the task of its Timeout.
type timerTask Timer

// Run fires the Timer, unless Stop or Reset was faster.
func (task *timerTask) Run(*hashedwheel.Timeout) { (*Timer)(task).fire(byWheel) }

// TimerStopped does nothing. The canceled Timer never fires. It stays on, so that code that drains C if Stop
// returns false does not hang.
func (task *timerTask) TimerStopped() {}

// Brief keeps task from the user's Executor, unless it calls a function.
func (task *timerTask) Brief() hook.Brief { return task.f == nil }

// TaskName is the name under which the Timer is shown.
func (task *timerTask) TaskName() string {
	if task.f != nil {
		return taskname.Of(task.f)
	}
	return "wheeltime.NewTimer"
}

// fire sends the time or calls f, unless Stop or Reset was faster than the run of an arming.
func (t *Timer) fire(arming uint32) {
	var now time.Time
	if t.f == nil {
		now = readClock(t.alarm.to.Timer())
	}
	if t.end(arming, now) && t.f != nil {
		t.f()
	}
}

// end turns the alarm off, sends the time if there is a channel, and reports true, if the arming is due.
func (t *Timer) end(arming uint32, now time.Time) (wasDue bool) {
	a := &t.alarm
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.isDue(arming) {
		return false
	}
	a.send(a.notBeforeDue(now))
	a.mode = off
	return true
}
