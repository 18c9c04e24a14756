package hashedwheel

import (
	"slices"
	"sync"
	"time"
)

// A Clock tells the time and wakes the worker. The clocks of clockwork, benbjohnson/clock
// and Kubernetes fit as they are. No lock is held while a method is called. Now must not
// call its timer, since armings, Pending, Next, Stats and Sample call Now.
//
// If a clock steps forward, what it passed over is handed out at once; if it steps back,
// what is pending waits for its deadline. When an arming wakes the worker it abandons its
// After, so a fake clock's count of waiters tells nothing: use a ManualClock.
type Clock interface {
	Now() time.Time
	// After returns a channel on which a value arrives d from now.
	After(d time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// A ManualClock moves only by Advance, for tests that do not wait. A Timer on it has no
// goroutine: Advance does the worker's part, so with Inline its tests are deterministic. It is
// safe for concurrent use by any number of timers, and must not be copied.
type ManualClock struct {
	mu        sync.Mutex
	now       time.Time // this and all below is guarded by mu
	target    time.Time // where Advance is going to
	advancing bool
	workers   []*worker // of timers not stopped
	waiters   []waiter
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

// Advance moves the clock on by d, which must not be negative. It stops at every instant at
// which something is due, in order, and hands that out. With Inline each task sees its own
// time, and all have run, one after another however long they take, when it returns.
//
// Called while another Advance is under way, by a task or another goroutine, it only makes
// that one go on for d longer, unless a task's panic ends it.
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
			c.mu.Lock() // a task panicked, or ended the goroutine
			c.advancing, c.target = false, c.now
			c.mu.Unlock()
		}
	}()
	for !arrived {
		arrived = c.step()
	}
}

// step moves the clock to the next instant at which something is due, or else to the
// target, and has every timer act on it. It reports true once move has ended the advance.
func (c *ManualClock) step() (arrived bool) {
	c.mu.Lock()
	workers := slices.Clone(c.workers)
	c.mu.Unlock()
	var due []time.Time
	for _, wk := range workers { // without mu: each takes its own lock, and may read the clock
		wk.finishOnce()
		if tick, _ := wk.look(); tick != noTick {
			due = append(due, wk.at(tick*wk.tick))
		}
	}
	if !c.move(due) {
		return true
	}
	for _, wk := range workers {
		wk.passOnce()
	}
	return false
}

// move sets the clock to the earliest of due, the waiters and the target, and serves the
// waiters of that time. If there is no further to go it ends the advance and reports false.
func (c *ManualClock) move(due []time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiters {
		due = append(due, w.at)
	}
	if c.target.After(c.now) {
		due = append(due, c.target)
	}
	due = slices.DeleteFunc(due, c.target.Before)
	if len(due) == 0 {
		c.advancing = false
		return false
	}
	if to := slices.MinFunc(due, time.Time.Compare); to.After(c.now) {
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
