package faults

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Clocks that step. A step may cost a visit to every pending timeout, but never a visit to every
// tick that it passes: three weeks are 18 billion of 100µs.

const (
	aHundredThousand = 100_000
	day              = 24 * time.Hour
	weeks            = 21 * day
)

// watchedClock is a SteppingClock that counts calls.
type watchedClock struct {
	timertest.SteppingClock
	reads, sleeps atomic.Int64
}

func (c *watchedClock) Now() time.Time {
	c.reads.Add(1)
	return c.SteppingClock.Now()
}

func (c *watchedClock) After(d time.Duration) <-chan time.Time {
	c.sleeps.Add(1)
	return c.SteppingClock.After(d)
}

// stepAndLook steps, and has the worker notice.
func (c *watchedClock) stepAndLook(tm *hashedwheel.Timer, d time.Duration) {
	c.Step(d)
	tm.AfterFunc(-time.Hour, timertest.Nop)
	timertest.Pass(timertest.Tick)
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
	for {
		most := r.late.Load()
		if int64(late) <= most || r.late.CompareAndSwap(most, int64(late)) {
			return
		}
	}
}

// assertBounded fails the test if f, in which the clock steps that often, had the
// timer look at it more often than a few times a step and for each of n timeouts
// that ran, or took the CPU time of ticks that were passed.
func (c *watchedClock) assertBounded(t *testing.T, steps, n int, f func()) {
	t.Helper()
	reads, sleeps, cpu := c.reads.Load(), c.sleeps.Load(), timertest.CPUTime()
	timertest.AssertCheap(t, f)
	reads, sleeps, cpu = c.reads.Load()-reads, c.sleeps.Load()-sleeps, timertest.CPUTime()-cpu
	t.Logf("%d looks at the clock, %d sleeps, %v of CPU time", reads, sleeps, cpu)
	assert.LessOrEqual(t, reads, int64(2*n+20*steps), "looks at the clock")
	assert.LessOrEqual(t, sleeps, int64(5*steps), "sleeps")
}

func TestFaultClockStepsBackByWeeks(t *testing.T) {
	onWatchedClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *watchedClock) {
		timertest.Pass(2 * weeks)
		var r runs
		r.arm(tm, clock, aHundredThousand, weeks)
		timertest.Pass(timertest.Tick)
		clock.assertBounded(t, 1, 0, func() { clock.stepAndLook(tm, -weeks) })
		timertest.Pass(weeks - 2*timertest.Tick)
		assert.Zero(t, r.ran.Load(), "all wait for their deadlines")
		assert.Equal(t, aHundredThousand, tm.Pending())
		timertest.Pass(weeks + 4*timertest.Tick)
		assert.Equal(t, int64(aHundredThousand), r.ran.Load(), "and run once")
		assert.Zero(t, r.early.Load())
		assert.LessOrEqual(t, time.Duration(r.late.Load()), 100*time.Microsecond, "no more than a tick late")
	})
}

// Each step forward makes some timeouts due, and none is early; after each step back the others are
// filed again.
func TestFaultClockStepsToAndFroByWeeks(t *testing.T) {
	onWatchedClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *watchedClock) {
		timertest.Pass(2 * weeks)
		const steps = 10
		var r runs
		r.arm(tm, clock, aHundredThousand, steps*weeks)
		timertest.Pass(timertest.Tick)
		clock.assertBounded(t, 2*steps, 2*aHundredThousand, func() {
			for i := range steps {
				there := time.Duration(i+1) * weeks
				clock.Step(there)
				synctest.Wait()
				require.Equal(t, int64(i+1)*aHundredThousand/steps, r.ran.Load(), "what was passed over runs at once")
				clock.stepAndLook(tm, -there)
			}
		})
		assert.Equal(t, int64(aHundredThousand), r.ran.Load())
		assert.Zero(t, r.early.Load())
		assert.Zero(t, tm.Pending())
	})
}

// A bad clock moves back and forth by about a tick. Each time that it goes back, the wheel is filed
// again.
func TestFaultClockTrembles(t *testing.T) {
	for _, by := range []time.Duration{1, 100 * time.Microsecond, timertest.Tick} {
		t.Run(fmt.Sprintf("by %v", by), func(t *testing.T) {
			onWatchedClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *watchedClock) {
				timertest.Pass(time.Hour)
				var r runs
				r.arm(tm, clock, 1000, 100*timertest.Tick)
				for range 2000 {
					clock.Step(by)
					timertest.Pass(50 * time.Microsecond)
					clock.Step(-by)
					timertest.Pass(50 * time.Microsecond)
				}
				assert.Equal(t, int64(1000), r.ran.Load())
				assert.Zero(t, r.early.Load())
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestFaultManualClockJumpsByWeeks(t *testing.T) {
	clock := hashedwheel.NewManualClock(timertest.Epoch)
	tm := timertest.NewManualOn(clock, hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithWheelSize(8))
	var r runs
	r.arm(tm, clock, aHundredThousand, 4*weeks)
	timertest.AssertCheap(t, func() {
		for i := range 4 {
			clock.Advance(weeks)
			assert.Equal(t, int64(i+1)*aHundredThousand/4, r.ran.Load())
		}
	})
	assert.Zero(t, r.early.Load())
	assert.LessOrEqual(t, time.Duration(r.late.Load()), 100*time.Microsecond, "each at its own time")
	assert.Zero(t, tm.Pending())
}
