package wheeltime

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// Sleep pauses the calling goroutine for at least d, at most one tick of tm longer; it returns at once if d is zero or
// less. If tm is stopped while Sleep waits, package time counts the rest.
//
// All goroutines that sleep until the same tick share one channel, so all except the first allocate nothing.
func Sleep(tm *hashedwheel.Timer, d time.Duration) {
	if tm == nil {
		panic("wheeltime: Sleep with a nil Timer")
	}
	if d <= 0 {
		return
	}
	begun, end := time.Now(), tm.Now().Add(d)
	<-tm.After(d)
	// If Timer.Stop has closed the channel, a part is left by both clocks. If tm had been stopped before, package time
	// has waited for all of d, and the clock of tm may stand still.
	time.Sleep(min(end.Sub(tm.Now()), d-time.Since(begun)))
}

// After returns a channel that gets the time once d has passed, at most one tick of tm later; at once if d is zero or
// less. If tm is stopped before that, package time counts the rest. It allocates the channel and a Timeout.
//
// After cannot be stopped: its Timeout stays pending until d has passed, even if nobody waits for the channel. For a
// select that usually ends in another way, use NewTimer and Stop, or the After of tm, whose channel is shared.
func After(tm *hashedwheel.Timer, d time.Duration) <-chan time.Time {
	if tm == nil {
		panic("wheeltime: After with a nil Timer")
	}
	w := &wait{c: make(chan time.Time, 1)}
	w.to.Init(tm, w)
	if d <= 0 {
		w.Run(&w.to)
		return w.c
	}
	w.to.ResetAt(tm.Now().Add(d))
	if w.to.Err() != nil { // tm has been stopped
		w.endInTime()
	}
	return w.c
}

// A wait is one call of After, and the task of its Timeout. Whoever ends the arming sends: the run, or package time if
// Timer.Stop cancels or refuses it.
type wait struct {
	to hashedwheel.Timeout
	c  chan time.Time // buffer of one, sent to once
}

// Run sends the time, for tm and package time.
func (w *wait) Run(*hashedwheel.Timeout) { w.c <- readClock(w.to.Timer()) }

// TimerStopped has package time end w.
func (w *wait) TimerStopped() { w.endInTime() }

// Brief keeps w from the user's Executor.
func (w *wait) Brief() hook.Brief { return true }

// endInTime has package time send.
func (w *wait) endInTime() {
	left := max(1, w.to.Deadline().Sub(w.to.Timer().Now())) // at once it could crash a test, see golang/go#78156
	time.AfterFunc(left, func() { w.Run(&w.to) })
}

// TaskName is the name under which the wait is shown.
func (w *wait) TaskName() string { return "wheeltime.After" }
