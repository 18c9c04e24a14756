package hashedwheel_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// Clocks that stand still, and clocks that lie.

func TestFaultClockStandsStill(t *testing.T) {
	clock := customClock{hashedwheel.NewManualClock(epoch)}
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var r runs
		r.arm(tm, clock, aHundredThousand, weeks)
		synctest.Wait() // the worker was told to drain
		assert.Zero(t, wakeups(tm, weeks), "nothing to wake up for")
		assert.Zero(t, r.ran.Load())
		assert.Equal(t, aHundredThousand, tm.Pending())
		clock.Advance(weeks)
		synctest.Wait()
		assert.Equal(t, int64(aHundredThousand), r.ran.Load(), "once it goes again")
		assert.Zero(t, r.early.Load())
	}, onWorker, hashedwheel.WithClock(clock))
}

func TestFaultClockStandsStillAndTheTimerIsStopped(t *testing.T) {
	clock := customClock{hashedwheel.NewManualClock(epoch)}
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var r runs
		r.arm(tm, clock, 1000, weeks)
		pass(weeks)
		left, err := tm.Shutdown(t.Context())
		assert.NoError(t, err)
		assert.Len(t, left, 1000)
		synctest.Wait()
		assert.Zero(t, libraryGoroutines())
	}, onWorker, hashedwheel.WithClock(clock))
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
		to := tm.AfterFunc(time.Hour, nop)
		pass(time.Minute)
		at := clock.Now()
		still.Store(&at)
		assert.LessOrEqual(t, wakeups(tm, day), uint64(24+5), "each hour, as if it were due")
		assert.Equal(t, hashedwheel.Pending, to.State())
		still.Store(nil)
		pass(time.Hour)
		assert.Equal(t, hashedwheel.Expired, to.State())
	})
}

// A clock that is read from a cache moves on in leaps, while its alarms do not:
// the leaps add to lateness, and the worker looks as often as it is rung.
func TestFaultClockIsCoarse(t *testing.T) {
	const leap = 15 * oneTick / 2 // no more than half a tick from a tick
	clock := &clockOf{now: func() time.Time { return time.Now().Truncate(leap) }}
	onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) {
		var late punctuality
		for i := range 100 {
			d := time.Duration(i) * 3 * oneTick / 2
			tm.AfterFunc(d, late.since(clock.Now().Add(d)))
		}
		assert.LessOrEqual(t, wakeups(tm, 200*oneTick), uint64(2*200), "one each half tick")
		late.assert(t, 100, leap+oneTick)
	})
}

// For a while the clock shows a time that cannot be. Deadlines count from what
// it showed at the call, and no task runs unless it shows that they have come.
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
			onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) { assertEndures(t, tm, clock, &lies) })
		})
	}
}

func assertEndures(t *testing.T, tm *hashedwheel.Timer, clock *clockOf, lies *atomic.Bool) {
	armed := 0
	var ran, early atomic.Int64
	arm := func(d time.Duration) {
		armed++
		deadline := clock.Now().Add(d)
		tm.AfterFunc(d, func() {
			ran.Add(1)
			if clock.Now().Before(deadline) {
				early.Add(1)
			}
		})
	}
	for _, lying := range []bool{false, true, false, true, false} {
		lies.Store(lying)
		for _, d := range manyDelays {
			arm(d)
			pass(2 * oneTick)
		}
	}
	assert.Equal(t, armed-int(ran.Load()), tm.Pending())
	pass(2 * day)
	assert.Zero(t, early.Load())
	left := tm.Stop()
	assert.Equal(t, armed, int(ran.Load())+len(left), "ran %d, left %d", ran.Load(), len(left))
	for _, to := range left {
		assert.True(t, to.Deadline().After(clock.Now()), "what is left was due")
	}
}

// As the fake clocks do that move on by themselves.
func TestFaultClockMovesOnAtEachLook(t *testing.T) {
	for _, by := range []time.Duration{1, oneTick - 1, oneTick, 7 * oneTick, time.Hour} {
		t.Run("by "+by.String(), func(t *testing.T) {
			var ahead atomic.Int64
			clock := &clockOf{now: func() time.Time { return time.Now().Add(time.Duration(ahead.Add(int64(by)))) }}
			onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) {
				var r runs
				r.arm(tm, clock, 100, 1000*oneTick)
				pass(2000 * oneTick)
				assert.Equal(t, int64(100), r.ran.Load())
				assert.Zero(t, r.early.Load())
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// Every other look goes back. It ends well once the earlier of the two readings
// has come to the deadline.
func TestFaultClockContradictsItself(t *testing.T) {
	for _, by := range []time.Duration{oneTick / 5, 10 * oneTick} {
		t.Run("by "+by.String(), func(t *testing.T) {
			var looks, early atomic.Int64
			clock := &clockOf{now: func() time.Time { return time.Now().Add(-by * time.Duration(looks.Add(1)%2)) }}
			tm := newTickingTimer(onWorker, hashedwheel.WithClock(clock))
			var running sync.WaitGroup
			for i := range 100 {
				running.Add(1)
				_, err := tm.Schedule(time.Duration(i)*oneTick/4, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
					if time.Now().Before(to.Deadline()) { // the later of the two readings
						early.Add(1)
					}
					running.Done()
				}))
				assert.NoError(t, err)
			}
			returns(t, running.Wait)
			assert.Zero(t, early.Load())
			assert.Empty(t, shutdown(t, tm))
		})
	}
}
