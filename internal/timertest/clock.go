package timertest

import (
	"sync"
	"sync/atomic"
	"testing"
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
func NewManualOn(clock hashedwheel.Clock, opts ...hashedwheel.Option) *hashedwheel.Timer {
	first := []hashedwheel.Option{hashedwheel.WithClock(clock), hashedwheel.WithTick(10 * time.Millisecond), OnWorker}
	return hashedwheel.MustNew(append(first, opts...)...)
}

// SteppingClock is the bubble's clock, which Step sets forward, like a fake clock.
type SteppingClock struct {
	mu      sync.Mutex
	ahead   time.Duration // guarded by mu
	waiters []waiter      // guarded by mu
}

type waiter struct {
	at time.Time
	c  chan time.Time
}

// Now is the bubble's time plus the sum of all steps.
func (c *SteppingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// After returns a channel that fires once: after d, or when a step passes over that time.
func (c *SteppingClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock() // a Step before the append would miss the waiter
	w := waiter{time.Now().Add(c.ahead + d), make(chan time.Time, 1)}
	time.AfterFunc(max(1, d), w.fire) // a delay of zero could crash the race detector, golang/go#78156
	c.waiters = append(c.waiters, w)
	return w.c
}

// Step sets the clock forward by d.
func (c *SteppingClock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	for _, w := range c.waiters {
		if !w.at.After(time.Now().Add(c.ahead)) {
			w.fire()
		}
	}
}

func (w waiter) fire() {
	select {
	case w.c <- time.Now():
	default:
	}
}

// InterruptedClock is a SteppingClock that calls Then once, between a reading and the return to its caller.
type InterruptedClock struct {
	SteppingClock
	Then atomic.Pointer[func()]
}

// Now reads the SteppingClock, and then calls Then.
func (c *InterruptedClock) Now() time.Time {
	now := c.SteppingClock.Now()
	if then := c.Then.Swap(nil); then != nil {
		(*then)()
	}
	return now
}

// OnSteppingClock is InBubble with a timer of 8 buckets on a SteppingClock.
func OnSteppingClock(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, clock *SteppingClock)) {
	t.Helper()
	clock := new(SteppingClock)
	InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, clock) },
		hashedwheel.WithClock(clock), hashedwheel.WithWheelSize(8))
}
