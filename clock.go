package hashedwheel

import (
	"slices"
	"sync"
	"time"
)

// A Clock tells the time and wakes the worker. The clocks of clockwork,
// benbjohnson/clock and Kubernetes fit as they are. Both methods are called
// without a lock held, Now by every Reset, AfterFunc and Schedule.
//
// A clock may step: forward, and what was passed over is handed out at once;
// back, and what is pending waits for its deadline. The worker leaves an After
// behind when an arming wakes it; a test that counts the sleepers of a fake clock
// is better served by a ManualClock.
type Clock interface {
	Now() time.Time
	// After returns a channel on which a value arrives d from now.
	After(d time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// A ManualClock stands still but for Advance, for tests that do not wait. A
// Timer on a ManualClock has no goroutine: Advance does the worker's part, so
// with Inline its tests are deterministic.
//
// A ManualClock is safe for concurrent use, and serves any number of timers and
// callers of After. It must not be copied.
type ManualClock struct {
	mu        sync.Mutex
	now       time.Time // guarded by mu
	target    time.Time // where Advance is going to; guarded by mu
	advancing bool      // guarded by mu
	timers    []*Timer  // not stopped; guarded by mu
	waiters   []waiter  // guarded by mu
}

type waiter struct {
	at time.Time
	c  chan time.Time
}

// NewManualClock returns a ManualClock that shows start.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start, target: start}
}

// Now returns the time that the clock shows.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After returns a channel that gets the time once the clock has moved on by d.
func (c *ManualClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := waiter{c.now.Add(d), make(chan time.Time, 1)}
	if d <= 0 {
		w.c <- c.now
	} else {
		c.waiters = append(c.waiters, w)
	}
	return w.c
}

// Advance moves the clock on by d, which must not be negative. It stops at
// every instant at which something is due, in order, and hands that out. With
// Inline each task sees its own time, and all have run, one after another however
// long they take, when it returns.
//
// Called while another Advance is under way, by a task or another goroutine, it
// only makes that one go on for d longer, unless a task's panic ends it.
func (c *ManualClock) Advance(d time.Duration) {
	if d < 0 {
		panic("hashedwheel: Advance by a negative duration")
	}
	c.mu.Lock()
	c.target = c.target.Add(d)
	if c.advancing {
		c.mu.Unlock()
		return
	}
	c.advancing = true
	c.mu.Unlock()
	arrived := false
	defer func() {
		if !arrived {
			c.halt() // a task panicked, or ended the goroutine
		}
	}()
	for !arrived {
		arrived = c.step()
	}
}

// step moves the clock to the next instant at which something is due, or else
// to the target, and has every timer act on it. It reports true, and ends the
// advance, once it is at the target and has nothing left to do there.
func (c *ManualClock) step() (arrived bool) {
	timers := c.snapshot()
	var due []time.Time
	for _, t := range timers { // without mu: each locks its own, and may read the clock
		if at, ok := t.nextDue(); ok {
			due = append(due, at)
		}
	}
	if !c.move(due) {
		return true
	}
	for _, t := range timers {
		t.passOnce()
	}
	return false
}

func (c *ManualClock) snapshot() []*Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.timers)
}

// move sets the clock to the earliest of due, the waiters and the target, and
// serves the waiters of that time. It reports false, and ends the advance, when
// there is no further to go.
func (c *ManualClock) move(due []time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.target
	for _, w := range c.waiters {
		due = append(due, w.at)
	}
	overdue := false
	for _, at := range due {
		overdue = overdue || !at.After(c.now)
		if at.Before(to) {
			to = at
		}
	}
	if !overdue && !to.After(c.now) {
		c.advancing = false
		return false
	}
	if to.After(c.now) {
		c.now = to
	}
	c.waiters = slices.DeleteFunc(c.waiters, func(w waiter) bool {
		if w.at.After(c.now) {
			return false
		}
		w.c <- c.now
		return true
	})
	return true
}

// halt ends an advance where it is.
func (c *ManualClock) halt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advancing, c.target = false, c.now
}

func (c *ManualClock) attach(t *Timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = append(c.timers, t)
}

func (c *ManualClock) detach(t *Timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = slices.DeleteFunc(c.timers, func(other *Timer) bool { return other == t })
}
