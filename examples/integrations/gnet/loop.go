package main

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A loopWheel is a Timer that an event loop drives. Its time passes only in turn, which the loop
// calls, and turn returns when all due tasks have run. So a task may use the data of the loop
// without a lock, like an event handler.
//
// A loop waits for events at most as long as sleep returns, then calls turn, then handles the
// events. A timeout that another goroutine arms during the wait may be late by the whole wait:
// so sleep has a limit.
type loopWheel struct {
	timer *hashedwheel.Timer
	clock *hashedwheel.ManualClock
}

// newLoopWheel returns a loopWheel whose time is now.
func newLoopWheel(now time.Time, tick time.Duration) (*loopWheel, error) {
	clock := hashedwheel.NewManualClock(now)
	timer, err := hashedwheel.New(hashedwheel.WithTick(tick), hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{})) // turn returns after the tasks
	return &loopWheel{timer, clock}, err
}

// turn runs the tasks that are due at now. Arm timeouts by ResetAt, with a time from the system
// clock: Reset counts from the last turn and would be early.
func (w *loopWheel) turn(now time.Time) {
	if d := now.Sub(w.clock.Now()); d > 0 {
		w.clock.Advance(d)
	}
}

// sleep returns the time from now until the Timer needs its next turn, at most limit.
func (w *loopWheel) sleep(now time.Time, limit time.Duration) time.Duration {
	at, ok := w.timer.Next()
	if !ok {
		return limit
	}
	return max(0, min(at.Sub(now), limit))
}
