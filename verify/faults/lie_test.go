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

// Clocks that stand still, and clocks that lie.

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

// A clock that is read from a cache moves on in leaps, while its alarms do not:
// the leaps add to lateness, and the worker looks as often as it is rung.
func TestFaultClockIsCoarse(t *testing.T) {
	const leap = 15 * timertest.Tick / 2 // no more than half a tick from a tick
	clock := &clockOf{now: func() time.Time { return time.Now().Truncate(leap) }}
	onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) {
		var late punctuality
		for i := range 100 {
			d := time.Duration(i) * 3 * timertest.Tick / 2
			tm.AfterFunc(d, late.since(clock.Now().Add(d)))
		}
		assert.LessOrEqual(t, timertest.Wakeups(tm, 200*timertest.Tick), uint64(2*200), "one each half tick")
		late.assert(t, 100, leap+timertest.Tick)
	})
}

// For a while the clock shows an impossible time, and then it goes back, against its contract. Nothing is lost, runs
// twice or hangs.
func TestFaultClockLies(t *testing.T) {
	for name, lie := range map[string]time.Time{
		"the zero time":         {},
		"before it was made":    time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC),
		"30 years on":           time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
		"the end of all clocks": time.Unix(1<<62, 0),
	} {
		t.Run(name, func(t *testing.T) {
			var lies atomic.Bool
			clock := &clockOf{now: func() time.Time {
				if lies.Load() {
					return lie
				}
				return time.Now()
			}}
			onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) { assertEndures(t, tm, &lies) })
		})
	}
}

func assertEndures(t *testing.T, tm *hashedwheel.Timer, lies *atomic.Bool) {
	armed := 0
	var ran atomic.Int64
	arm := func(d time.Duration) {
		armed++
		tm.AfterFunc(d, func() { ran.Add(1) })
	}
	for _, lying := range []bool{false, true, false, true, false} {
		lies.Store(lying)
		for _, d := range timertest.ManyDelays {
			arm(d)
			timertest.Pass(2 * timertest.Tick)
		}
	}
	assert.Equal(t, armed-int(ran.Load()), tm.Pending())
	timertest.Pass(2 * day)
	left := tm.Stop()
	assert.Equal(t, armed, int(ran.Load())+len(left), "ran %d, left %d", ran.Load(), len(left))
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
