package hashedwheel

import (
	"slices"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/manual"
)

// A Clock shows the time and wakes the worker. The clocks of clockwork, benbjohnson/clock and Kubernetes
// fit as they are. Its methods are called concurrently, and with no lock held. Now must not call its timer.
//
// A clock must never go back. If it does, timeouts may be early or late by as much as it went back, but none is lost,
// runs twice or hangs the timer. A clock may stand still, and may jump ahead: then the timeouts that it passed over are
// handed out when the worker next wakes.
//
// The worker abandons channels of After, so a fake clock's count of waiters means nothing: use a ManualClock.
type Clock interface {
	Now() time.Time
	// After returns a channel on which a value arrives d from now.
	After(d time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// A ManualClock moves only by Advance, for tests that do not wait. A Timer on it has no goroutine:
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
		tick, _ := wk.guarded.drainAll(wk.time.thisTick())
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

// timeline is a timer's time, in ns since it was made, and in ticks. All of it is read only.
type timeline struct {
	made     time.Time // by the system's clock
	start    time.Time // deadlines count from here
	clock    Clock
	isSystem bool  // clock is the system's: read it in the fastest way
	isUsers  bool  // clock is neither the system's nor a ManualClock
	tickLen  int64 // ns
}

func newTimeline(c Clock, tickLen time.Duration) timeline {
	_, isManual := c.(*ManualClock)
	isSystem := c == Clock(systemClock{})
	return timeline{
		made: time.Now(), start: c.Now(), clock: c, tickLen: int64(tickLen),
		isSystem: isSystem, isUsers: !isSystem && !isManual,
	}
}

// thisTick returns the tick that has begun last.
func (tl *timeline) thisTick() int64 { return tl.tickAt(tl.now()) }

// now returns the time in ns since start, always less than maxDeadline.
func (tl *timeline) now() int64 {
	if !tl.isSystem {
		tl.checkMade()
		return min(tl.read(), maxDeadline-1)
	}
	d := int64(time.Since(tl.start)) // reads the monotonic clock alone
	if d < 0 {
		tl.checkBubble()
	}
	return min(d, maxDeadline-1)
}

// read is now without a check.
func (tl *timeline) read() int64 { return tl.since(tl.clock.Now()) }

// checkMade panics if the timer is a zero Timer.
func (tl *timeline) checkMade() {
	if tl == nil || tl.clock == nil {
		panic("hashedwheel: use of a Timer that was not made by New or MustNew")
	}
}

// checkBubble panics in a bubble if the timer was made outside it. The system's monotonic clock never
// shows a time before New; a bubble's clock does, since it begins in the year 2000.
func (tl *timeline) checkBubble() {
	if (tl.isSystem || tl.isUsers) && time.Since(tl.made) < 0 { // a ManualClock has no goroutine
		panic("hashedwheel: Timer made outside a testing/synctest bubble and used inside: make it in the bubble")
	}
}

// deadline returns the deadline d from now. A negative d is zero, and one too large for the clock is never.
func (tl *timeline) deadline(now int64, d time.Duration) int64 {
	return clamp(now + clamp(max(0, int64(d))))
}

// since returns a time in ns since start.
func (tl *timeline) since(at time.Time) int64 { return clamp(int64(at.Sub(tl.start))) }

func (tl *timeline) at(deadline int64) time.Time { return tl.start.Add(time.Duration(deadline)) }

// tickAt returns the last tick that has begun at a time.
func (tl *timeline) tickAt(now int64) int64 { return -roundUp(-now, tl.tickLen) }

// tickStart returns the start of the last tick that has begun at now.
func (tl *timeline) tickStart(now time.Time) time.Time {
	return tl.at(tl.tickAt(tl.since(now)) * tl.tickLen)
}

func clamp(ns int64) int64 { return max(minDeadline, min(ns, maxDeadline)) }
