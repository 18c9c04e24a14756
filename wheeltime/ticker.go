package wheeltime

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// A Ticker is package time's Ticker on a wheel. It is made by NewTicker, is safe for concurrent use and must not be
// copied. Reset of a zero Ticker panics, Stop does nothing.
//
// The wheel keeps a Ticker until the Ticker or the wheel is stopped, even if the program has no reference to it.
type Ticker struct {
	C      <-chan time.Time // gets the time of each tick
	alarm  alarm
	period time.Duration // this and due are guarded by the alarm's lock
	due    time.Time     // the next tick while package time fires the alarm
}

// NewTicker returns a Ticker that sends the time on its channel C every d, each time at most one tick of tm late. Ticks
// are due on the fixed grid of now plus whole periods, so they do not drift. C has room for one tick: further ticks are
// dropped until that tick is received. If d is below the tick of tm the Ticker ticks once a tick. NewTicker panics if d
// is not positive. It allocates the Ticker and its channel; a tick allocates nothing.
func NewTicker(tm *hashedwheel.Timer, d time.Duration) *Ticker {
	if tm == nil {
		panic("wheeltime: NewTicker with a nil Timer")
	}
	if d <= 0 {
		panic("wheeltime: non-positive interval for NewTicker")
	}
	t := new(Ticker)
	t.alarm.c = make(chan time.Time, 1)
	t.C = t.alarm.c
	t.alarm.to.Init(tm, (*tickerTask)(t))
	t.start(d)
	return t
}

// Stop ends the ticks: nothing is received from C after Stop has returned. It does not close C.
func (t *Ticker) Stop() {
	if t.alarm.to.Timer() != nil { // package time also allows Stop of a zero Ticker
		t.alarm.stop()
	}
}

// Reset sets the period to d, counted from now, and starts the Ticker again if it was stopped. No older tick is
// received after Reset has returned. Reset panics if d is not positive.
func (t *Ticker) Reset(d time.Duration) {
	if d <= 0 {
		panic("wheeltime: non-positive interval for Ticker.Reset")
	}
	if t.alarm.to.Timer() == nil {
		panic("wheeltime: Reset called on uninitialized Ticker: NewTicker makes one")
	}
	t.start(d)
}

// String returns the period, the state and the time of the next tick.
func (t *Ticker) String() string {
	t.alarm.mu.Lock()
	period := t.period
	t.alarm.mu.Unlock()
	return fmt.Sprintf("wheeltime.Ticker(%v, %s)", period, t.alarm.describe())
}

func (t *Ticker) start(d time.Duration) {
	a := &t.alarm
	now := a.to.Timer().Now() // read before the lock: the clock may be the user's
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clear()
	t.period = d
	if !a.armOnWheel(now.Add(d)) {
		t.due = time.Now().Add(d)
		a.armInTime(d, t.fire)
	}
}

// tickerTask is a Ticker as the task of its Timeout.
type tickerTask Ticker

// TaskName is the name under which the Ticker is shown.
func (*tickerTask) TaskName() string { return "wheeltime.NewTicker" }

// Run ticks, unless Stop or Reset was faster.
func (task *tickerTask) Run(*hashedwheel.Timeout) { (*Ticker)(task).fire(byWheel) }

// TimerStopped ends the Ticker as Ticker.Stop does, unless Reset has set it again by then.
func (task *tickerTask) TimerStopped() {
	a := &task.alarm
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.to.State() == hashedwheel.Canceled {
		a.clear()
	}
}

// Brief keeps task from the user's Executor.
func (task *tickerTask) Brief() hook.Brief { return true }

// fire arms the next tick and sends this one, unless Stop or Reset was faster than the run of an arming.
func (t *Ticker) fire(arming uint32) {
	a := &t.alarm
	now := readClock(a.to.Timer())
	begun := hook.TickStart(a.to.Timer(), now)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.isDue(arming) {
		return
	}
	if arming == byWheel {
		// A point of the grid that has passed is also due next, if its tick is yet to come.
		next := t.after(a.to.Deadline(), a.notBeforeDue(begun))
		now = a.notBeforeDue(now)
		if !a.armOnWheel(next) {
			a.mode = off // as if Timer.Stop had canceled the next tick
		}
	} else {
		elapsed := time.Now()
		t.due = t.after(t.due, elapsed)
		a.std.Reset(t.due.Sub(elapsed))
	}
	a.send(now)
}

// after returns the first point after now of the grid through due.
func (t *Ticker) after(due, now time.Time) time.Time {
	return due.Add(t.period * (1 + now.Sub(due)/t.period))
}
