package faults

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Clocks that stand still, and clocks that move on by themselves.

const (
	aHundredThousand = 100_000
	day              = 24 * time.Hour
	weeks            = 21 * day
)

// runs is what came of many timeouts, by the clock that they are on.
type runs struct {
	ran, early atomic.Int64
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
}

// customClock has the methods of a ManualClock, but is served by a worker.
type customClock struct{ *hashedwheel.ManualClock }

func TestFaultClockStandsStill(t *testing.T) {
	clock := customClock{hashedwheel.NewManualClock(timertest.Epoch)}
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var r runs
		r.arm(tm, clock, aHundredThousand, weeks)
		synctest.Wait() // the worker has drained
		assert.Zero(t, timertest.Wakeups(tm, weeks), "nothing to wake up for")
		assert.Zero(t, r.ran.Load())
		assert.Equal(t, aHundredThousand, tm.Pending())
		clock.Advance(weeks)
		synctest.Wait()
		assert.Equal(t, int64(aHundredThousand), r.ran.Load(), "once it goes again")
		assert.Zero(t, r.early.Load())
	}, timertest.OnWorker, hashedwheel.WithClock(clock))
}

// Its alarms go on: the worker looks as often as they ring, and goes by the clock.
func TestFaultClockStandsStillButForItsAlarms(t *testing.T) {
	var still atomic.Pointer[time.Time]
	clock := &clockOf{now: func() time.Time {
		if at := still.Load(); at != nil {
			return *at
		}
		return time.Now()
	}}
	onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(time.Minute)
		at := clock.Now()
		still.Store(&at)
		assert.LessOrEqual(t, timertest.Wakeups(tm, day), uint64(24+5), "each hour, as if it were due")
		assert.Equal(t, hashedwheel.Pending, to.State())
		still.Store(nil)
		timertest.Pass(time.Hour)
		assert.Equal(t, hashedwheel.Expired, to.State())
	})
}

// As the fake clocks do that move on by themselves.
func TestFaultClockMovesOnAtEachLook(t *testing.T) {
	for _, by := range []time.Duration{1, timertest.Tick - 1, timertest.Tick, 7 * timertest.Tick, time.Hour} {
		t.Run("by "+by.String(), func(t *testing.T) {
			var ahead atomic.Int64
			clock := &clockOf{now: func() time.Time { return time.Now().Add(time.Duration(ahead.Add(int64(by)))) }}
			onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) {
				var r runs
				r.arm(tm, clock, 100, 1000*timertest.Tick)
				timertest.Pass(2000 * timertest.Tick)
				assert.Equal(t, int64(100), r.ran.Load())
				assert.Zero(t, r.early.Load())
				assert.Zero(t, tm.Pending())
			})
		})
	}
}
