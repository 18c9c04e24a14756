package wheeltime

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// Sleep pauses the calling goroutine for at least d. All goroutines that sleep until the same tick share one channel,
// so all except the first allocate nothing.
func Sleep(tm *hashedwheel.Timer, d time.Duration) {
	if tm == nil {
		panic("wheeltime: Sleep with a nil Timer")
	}
	if d > 0 {
		<-tm.After(d)
	}
}

// After returns a channel that gets the time once d has passed. It allocates the channel and a Timeout.
//
// After cannot be stopped: its Timeout stays pending until d has passed, even if nobody waits for the channel. For a
// select that usually ends in another way, use NewTimer and Stop, or the After of tm, whose channel is shared.
func After(tm *hashedwheel.Timer, d time.Duration) <-chan time.Time {
	if tm == nil {
		panic("wheeltime: After with a nil Timer")
	}
	w := &wait{c: make(chan time.Time, 1)}
	w.to.Init(tm, w)
	if d > 0 {
		w.to.Reset(d)
	}
	if d <= 0 || w.to.Err() != nil { // Err: tm has been stopped
		w.Outlive(d)
	}
	return w.c
}

// A wait is one call of After, and the task of its Timeout. The time is sent once: by Run, or by the time package if
// Timer.StopAll has canceled the Timeout, or the stopped wheel refuses it.
type wait struct {
	to hashedwheel.Timeout
	c  chan time.Time // buffer of one
}

// Run sends the time.
func (w *wait) Run(*hashedwheel.Timeout) { w.c <- w.to.Timer().Now() }

// Outlive has the time package send the time.
func (w *wait) Outlive(rest time.Duration) {
	if rest <= 0 {
		w.Run(&w.to)
		return
	}
	time.AfterFunc(rest, func() { w.Run(&w.to) })
}

// Brief keeps w off the user's Executor.
func (w *wait) Brief() hook.Brief { return true }

// TaskName returns the name under which the wait is shown.
func (w *wait) TaskName() string { return "wheeltime.After" }
