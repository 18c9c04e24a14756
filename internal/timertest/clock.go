package timertest

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// Epoch is the time at which the clock of NewManual starts.
var Epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// NewManual returns a timer with a tick of 10ms whose clock moves only by Advance.
func NewManual(opts ...hashedwheel.Option) (*hashedwheel.ManualClock, *hashedwheel.Timer) {
	clock := hashedwheel.NewManualClock(Epoch)
	return clock, NewManualOn(clock, opts...)
}

// NewManualOn returns a timer with a tick of 10ms on a clock, with tasks on the worker.
func NewManualOn(clock *hashedwheel.ManualClock, opts ...hashedwheel.Option) *hashedwheel.Timer {
	first := []hashedwheel.Option{hashedwheel.WithClock(clock), hashedwheel.WithTick(10 * time.Millisecond), OnWorker}
	return hashedwheel.MustNew(append(first, opts...)...)
}
