package faults

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Clocks that jump. A jump may cost a visit to every pending timeout, but never a visit to every
// tick that it passes: three weeks are 18 billion of 100µs.

const (
	aHundredThousand = 100_000
	day              = 24 * time.Hour
	weeks            = 21 * day
)

// watchedClock is a SteppingClock that counts calls.
type watchedClock struct {
	timertest.SteppingClock
	reads, alarms atomic.Int64
}

func (c *watchedClock) Now() time.Time {
	c.reads.Add(1)
	return c.SteppingClock.Now()
}

func (c *watchedClock) After(d time.Duration) <-chan time.Time {
	c.alarms.Add(1)
	return c.SteppingClock.After(d)
}

// onWatchedClock is inBubble with a timer of the shortest tick on a watchedClock.
func onWatchedClock(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, clock *watchedClock)) {
	t.Helper()
	clock := new(watchedClock)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, clock) }, timertest.OnWorker,
		hashedwheel.WithClock(clock), hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithWheelSize(8))
}

// runs is what came of many timeouts, by the clock that they are on.
type runs struct {
	ran, early atomic.Int64
	soonest    atomic.Int64 // ns before the deadline, the most
	late       atomic.Int64 // ns, the most
}

// arm spreads n timeouts over a time from now on, at instants a little before a
// tick, of which there are a thousand at most.
func (r *runs) arm(tm *hashedwheel.Timer, clock hashedwheel.Clock, n int, over time.Duration) {
	instants := min(n, 1000)
	for i := range n {
		d := time.Duration(1+i%instants)*(over/time.Duration(instants)) - timertest.Tick/30
		deadline := clock.Now().Add(d)
		tm.AfterFunc(d, func() { r.note(clock.Now().Sub(deadline)) })
	}
}

func (r *runs) note(late time.Duration) {
	r.ran.Add(1)
	if late < 0 {
		r.early.Add(1)
	}
	raise(&r.soonest, int64(-late))
	raise(&r.late, int64(late))
}

// raise makes most at least n.
func raise(most *atomic.Int64, n int64) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); {
		old = most.Load()
	}
}

// assertBounded fails the test if f, in which the clock steps that often, had the
// timer look at it more often than a few times a step and for each of n timeouts
// that ran, or took the CPU time of ticks that were passed.
func (c *watchedClock) assertBounded(t *testing.T, steps, n int, f func()) {
	t.Helper()
	reads, alarms, cpu := c.reads.Load(), c.alarms.Load(), timertest.CPUTime()
	timertest.AssertCheap(t, f)
	reads, alarms, cpu = c.reads.Load()-reads, c.alarms.Load()-alarms, timertest.CPUTime()-cpu
	t.Logf("%d looks at the clock, %d alarms, %v of CPU time", reads, alarms, cpu)
	assert.LessOrEqual(t, reads, int64(2*n+20*steps), "looks at the clock")
	assert.LessOrEqual(t, alarms, int64(5*steps), "alarms")
}

// Against its contract a clock goes back, once by a lot or again and again. Timeouts may be early or late by as much,
// and a tick; none is lost, runs twice or hangs the timer, and the worker visits no ticks that it has seen before.
func TestFaultClockGoesBack(t *testing.T) {
	for name, c := range map[string]struct {
		back  time.Duration
		times int
	}{
		"by a nanosecond, 2000 times": {1, 2000},
		"by a tick, 2000 times":       {100 * time.Microsecond, 2000},
		"by a second, 50 times":       {time.Second, 50},
		"by an hour":                  {time.Hour, 1},
		"by weeks":                    {weeks, 1},
	} {
		t.Run(name, func(t *testing.T) {
			onWatchedClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *watchedClock) {
				timertest.Pass(weeks) // the clock never shows a time before the timer was made
				var r runs
				all := time.Duration(c.times) * c.back
				clock.assertBounded(t, 1000+5*c.times, 5000, func() {
					r.arm(tm, clock, 1000, all+time.Second)
					for range c.times {
						clock.Step(-c.back)
						r.arm(tm, clock, 1, c.back)
						timertest.Pass(200 * time.Microsecond)
					}
					timertest.Pass(2*all + 2*time.Second)
				})
				assert.EqualValues(t, 1000+c.times, r.ran.Load())
				assert.Zero(t, tm.Pending())
				assert.LessOrEqual(t, time.Duration(r.soonest.Load()), c.back)
				assert.LessOrEqual(t, time.Duration(r.late.Load()), all+2*timertest.Tick)
				timertest.Shutdown(t, tm)
			})
		})
	}
}
