package wheeltime

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// A Ticker is the time package's Ticker on a wheel. It is made by NewTicker, is safe for concurrent use and must not be
// copied. Reset of a zero Ticker panics, and Stop does nothing.
type Ticker struct {
	C       <-chan time.Time // gets the time of each tick
	trigger trigger
	period  time.Duration // guarded by trigger.mu, like due
	due     time.Time     // the next tick, by the time package, while it fires the trigger
}

// NewTicker returns a Ticker that sends the time on its channel C every d. Ticks are due on the fixed grid of now plus
// whole periods, so they do not drift. C has room for one tick: further ticks are dropped until that tick is received.
// NewTicker panics if d is not positive. It allocates the Ticker and its channel; a tick allocates nothing.
//
// The Ticker outlives Timer.StopAll of tm: see the package's documentation.
func NewTicker(tm *hashedwheel.Timer, d time.Duration) *Ticker {
	if tm == nil {
		panic("wheeltime: NewTicker with a nil Timer")
	}
	if d <= 0 {
		panic("wheeltime: non-positive interval for NewTicker")
	}
	t := new(Ticker)
	t.trigger.c = make(chan time.Time, 1)
	t.C = t.trigger.c
	t.trigger.to.Init(tm, (*tickerTask)(t))
	t.start(d)
	return t
}

// Stop ends the ticks: nothing is received from C after Stop has returned. It does not close C.
func (t *Ticker) Stop() {
	if t.trigger.to.Timer() != nil { // the time package also allows Stop of a zero Ticker
		t.trigger.stop()
	}
}

// Reset sets the period to d, counted from now, and starts the Ticker again if it was stopped. No older tick is
// received after Reset has returned. Reset panics if d is not positive.
func (t *Ticker) Reset(d time.Duration) {
	if d <= 0 {
		panic("wheeltime: non-positive interval for Ticker.Reset")
	}
	if t.trigger.to.Timer() == nil {
		panic("wheeltime: Reset called on uninitialized Ticker: NewTicker makes one")
	}
	t.start(d)
}

// String returns the period, the state and the time of the next tick.
func (t *Ticker) String() string {
	t.trigger.mu.Lock()
	period := t.period
	t.trigger.mu.Unlock()
	return fmt.Sprintf("wheeltime.Ticker(%v, %s)", period, t.trigger.describe())
}

func (t *Ticker) start(d time.Duration) {
	tr := &t.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.clear()
	t.period = d
	now := tr.now()
	t.arm(now, now.Add(d))
}

// arm arms the next tick, for a time on the wheel's clock, which shows now. The caller holds mu.
func (t *Ticker) arm(now, next time.Time) {
	if !t.trigger.armOnWheel(next) {
		t.armInTime(next.Sub(now))
	}
}

// armInTime has the time package tick, for the first time d from now. The caller holds mu.
func (t *Ticker) armInTime(d time.Duration) {
	t.due = time.Now().Add(d)
	t.trigger.armInTime(d, t.fire)
}

// tickerTask is a Ticker as the task of its Timeout.
type tickerTask Ticker

// TaskName returns the name under which the Ticker is shown.
func (*tickerTask) TaskName() string { return "wheeltime.NewTicker" }

// Run ticks, unless Stop or Reset came first.
func (task *tickerTask) Run(*hashedwheel.Timeout) { (*Ticker)(task).fire(byWheel) }

// Outlive has the time package tick, unless Stop or Reset came first.
func (task *tickerTask) Outlive(rest time.Duration) {
	tr := &task.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.isLeft() {
		(*Ticker)(task).armInTime(rest)
	}
}

// Brief keeps task off the user's Executor.
func (task *tickerTask) Brief() hook.Brief { return true }

// fire arms the next tick and sends this one, if the run of an arming comes before Stop and Reset.
func (t *Ticker) fire(arming uint32) {
	tr := &t.trigger
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if !tr.isDue(arming) {
		return
	}
	now := tr.now()
	if arming == byWheel {
		t.arm(now, t.after(tr.to.Deadline(), now))
	} else {
		elapsed := time.Now()
		t.due = t.after(t.due, elapsed)
		tr.std.Reset(t.due.Sub(elapsed))
	}
	tr.send(now)
}

// after returns the first point after now of the grid through due.
func (t *Ticker) after(due, now time.Time) time.Time {
	return due.Add(t.period * (1 + now.Sub(due)/t.period))
}
