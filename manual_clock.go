package hashedwheel

import (
	"slices"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/manual"
)

// A ManualClock moves only by Advance, for tests that do not wait. Nothing calls the worker of a Timer on it:
// Advance does the worker's part, so with Inline its tests are deterministic. It is safe for concurrent
// use by any number of timers, holds on to them until they are stopped, and must not be copied.
type ManualClock struct {
	clock   *manual.Clock
	mu      sync.Mutex
	workers []*worker // guarded by mu; of timers that are not stopped
}

// NewManualClock returns a ManualClock that shows start.
func NewManualClock(start time.Time) *ManualClock {
	c := new(ManualClock)
	c.clock = manual.New(start, c.next, c.pass)
	return c
}

// Now returns the time that the clock shows.
func (c *ManualClock) Now() time.Time { return c.clock.Now() }

// After returns a channel that gets the time once the clock has moved on by d.
func (c *ManualClock) After(d time.Duration) <-chan time.Time { return c.clock.After(d) }

// String returns the time that the clock shows. It is safe at any time.
func (c *ManualClock) String() string { return "hashedwheel.ManualClock(" + c.Now().String() + ")" }

// Advance moves the clock on by d, which must not be negative. It stops at every instant at which a timeout
// is due, in order. With Inline each task sees its own time, and all have run when Advance returns. A call
// while another Advance runs, from a task for instance, only makes that one go on for d longer.
func (c *ManualClock) Advance(d time.Duration) {
	if d < 0 {
		panic("hashedwheel: Advance by a negative duration")
	}
	c.clock.Advance(d)
}

// pass runs every timer's pass.
func (c *ManualClock) pass() {
	for _, wk := range c.attached() {
		wk.passOnce()
	}
}

// next returns the instants at which timeouts are due.
func (c *ManualClock) next() (due []time.Time) {
	workers := c.attached()
	for _, wk := range workers { // first, and for all: what is left of a batch may arm timeouts of any timer
		wk.finishOnce()
	}
	for _, wk := range workers {
		tick, _ := wk.guarded.drainAll()
		if tick != noTick {
			due = append(due, wk.time.at(tick*wk.time.tickLen))
		}
	}
	return due
}

// attached returns a copy of workers, since mu must not be held while their methods run: a task may call New.
func (c *ManualClock) attached() []*worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.workers)
}

func (c *ManualClock) attach(wk *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.workers = append(c.workers, wk)
}

func (c *ManualClock) detach(wk *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.workers = slices.DeleteFunc(c.workers, func(other *worker) bool { return other == wk })
}
