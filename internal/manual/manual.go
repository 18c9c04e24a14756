// Package manual has a clock that moves only by Advance.
package manual

import (
	"slices"
	"sync"
	"time"
)

// A Clock shows a time that Advance moves. It is made by New, and safe for concurrent use.
type Clock struct {
	next func() (due []time.Time)
	pass func()

	mu        sync.Mutex
	now       time.Time // guarded by mu, like all below
	target    time.Time // the time at which Advance ends; now if none is under way
	advancing bool
	waiters   []waiter
}

type waiter struct {
	at time.Time
	c  chan time.Time
}

// New returns a Clock that shows start. Without a lock, Advance calls next for the instants at which
// something is due, past ones included, and pass at each instant at which it stops.
func New(start time.Time, next func() (due []time.Time), pass func()) *Clock {
	return &Clock{next: next, pass: pass, now: start, target: start}
}

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After returns a channel that gets the time once the clock has moved on by d.
func (c *Clock) After(d time.Duration) <-chan time.Time {
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

// Advance moves the clock on by d, and stops at every instant that next returns or a waiter waits for. A
// call while another Advance runs only makes that one go on for d longer. A panic, or runtime.Goexit, ends
// the Advance at the time that the clock shows.
func (c *Clock) Advance(d time.Duration) {
	if !c.begin(d) {
		return
	}
	arrived := false
	defer func() {
		if !arrived {
			c.mu.Lock()
			c.advancing, c.target = false, c.now
			c.mu.Unlock()
		}
	}()
	for c.move(c.next()) {
		c.pass()
	}
	arrived = true
}

func (c *Clock) begin(d time.Duration) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.target = c.target.Add(d)
	first = !c.advancing
	c.advancing = true
	return first
}

// move sets the clock to the earliest of due, the waiters and the target, and serves the waiters of that
// time. At the target with nothing due it ends the advance and reports false.
func (c *Clock) move(due []time.Time) bool {
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
