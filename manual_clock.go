package hashedwheel

import (
	"slices"
	"sync"
	"time"
)

// A ManualClock moves only by Advance, for tests that do not wait. Advance does the work of the worker of each Timer on
// it, and tasks run Inline unless WithExecutor says otherwise, so tests are deterministic. A ManualClock is safe for
// concurrent use by any number of timers, keeps them in memory until they are stopped, and must not be copied.
type ManualClock struct {
	mu        sync.Mutex // guards all below; a worker's methods are called without it, since a task may call New
	now       time.Time
	target    time.Time // the time at which Advance ends; now if none is in progress
	advancing bool
	workers   []*worker // of timers that are not stopped
}

// NewManualClock returns a ManualClock that shows start.
func NewManualClock(start time.Time) *ManualClock { return &ManualClock{now: start, target: start} }

// Now returns the time that the clock shows.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// String returns the time that the clock shows. It is safe at any time.
func (c *ManualClock) String() string { return "hashedwheel.ManualClock(" + c.Now().String() + ")" }

// Advance moves the clock on by d, which must not be negative. It stops at every instant at which a timeout is due, in
// order: each task sees its own time, and all have run when Advance returns. What a task arms for the present is due at
// the next tick. With an Executor that starts goroutines tasks start later, so a series skips runs within one Advance.
// A call during another Advance, such as from a task, only extends that Advance by d. A panic, or runtime.Goexit, ends
// the Advance at the time that the clock shows.
func (c *ManualClock) Advance(d time.Duration) {
	if d < 0 {
		panic("hashedwheel: Advance by a negative duration")
	}
	c.mu.Lock()
	c.target = c.target.Add(d)
	inProgress := c.advancing
	c.advancing = true
	c.mu.Unlock()
	if inProgress {
		return
	}
	arrived := false
	defer func() {
		if !arrived {
			c.mu.Lock()
			c.end()
			c.mu.Unlock()
		}
	}()
	for c.move(c.due()) {
		for _, wk := range c.attached() {
			wk.advance()
		}
	}
	arrived = true
}

// due returns, for each timer, the instant of the earliest timeout that may be due, which may have passed.
func (c *ManualClock) due() (at []time.Time) {
	for _, wk := range c.attached() {
		next, _ := wk.guarded.drainAll()
		if next < maxDeadline {
			at = append(at, wk.time.start.Add(time.Duration(next)))
		}
	}
	return at
}

// move sets the clock to the earliest of due and the target. If the clock is at the target and nothing is due, move
// ends the advance and reports false.
func (c *ManualClock) move(due []time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.target.After(c.now) {
		due = append(due, c.target)
	}
	due = slices.DeleteFunc(due, c.target.Before)
	if len(due) == 0 {
		c.end()
		return false
	}
	if to := slices.MinFunc(due, time.Time.Compare); to.After(c.now) {
		c.now = to
	}
	return true
}

// end ends an advance at the time that the clock shows. The caller holds mu.
func (c *ManualClock) end() {
	for _, wk := range c.workers {
		wk.guarded.endPasses() // before another Advance begins
	}
	c.advancing, c.target = false, c.now
}

// attached returns a copy of workers.
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
