package series_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// lateClock rings a little late, as every system's clock does.
type lateClock struct{ by time.Duration }

func (c lateClock) Now() time.Time { return time.Now() }

func (c lateClock) After(d time.Duration) <-chan time.Time { return time.After(d + c.by) }

// A point of the grid that is past when the run before it begins is not missed
// if its tick is still to come.
func TestEveryMissesNothingOnAClockThatRingsALittleLate(t *testing.T) {
	const late, n = tick / 20, 1000
	for _, period := range []time.Duration{tick - 1, tick, tick + 1, 2 * tick, 7*tick/2 + 1} {
		t.Run(period.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(time.Microsecond) // the grid is a little behind the ticks
				log := new(timertest.RunLog)
				tm.Every(period, noted(log))
				timertest.Pass(n*period + tick)
				assert.GreaterOrEqual(t, log.Count(), int(n*period/max(period, tick))-1)
			}, hashedwheel.WithClock(lateClock{late}))
		})
	}
}

func TestEveryGoesOnThroughTheZeroTime(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Time{}.Add(-5 * time.Second))
	tm := timertest.NewManualOn(clock)
	defer tm.Stop()
	runs := 0
	s := tm.Every(time.Second, func(*hashedwheel.Series) { runs++ })
	require.False(t, ended(s))
	clock.Advance(10 * time.Second)
	assert.Equal(t, 10, runs)
}

// Centuries ago is farther than a time.Duration reaches. A time that was truncated has no monotonic reading: the wall
// clock decides how far away it is.
func TestEveryFromTheDistantPastRunsOnTheHour(t *testing.T) {
	for name, first := range map[string]time.Time{
		"the zero time":   {},
		"before that":     time.Date(-5000, 3, 4, 5, 0, 0, 0, time.UTC),
		"the year 1600":   time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC),
		"the first there": time.Unix(math.MinInt64/2, 0).Truncate(time.Hour),
		"a wall time":     time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				timertest.Pass(17*time.Minute + 3)
				log, hour := new(timertest.RunLog), time.Now().Truncate(time.Hour)
				tm.EveryFrom(first, time.Hour, noted(log))
				timertest.Pass(3 * time.Hour)
				timertest.AssertOnGrid(t, hour, time.Hour, tick, log.Times(), 1, 2, 3)
			})
		})
	}
}

// Times that no clock reaches.
func TestSeriesOutOfReachNeverRunsAndIsPending(t *testing.T) {
	year9999, last := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64/2, 0)
	const year = 365 * 24 * time.Hour
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 3)
		moved := tm.Every(time.Hour, nop)
		moved.Reset(math.MaxInt64)
		all := map[string]*hashedwheel.Series{
			"EveryFrom the year 9999":      tm.EveryFrom(year9999, time.Hour, nop),
			"EveryFrom the end of time":    tm.EveryFrom(last, time.Hour, nop),
			"Recur in the year 9999":       tm.Recur(&agenda{year9999}, nop),
			"Recur at the end of time":     tm.Recur(&agenda{last}, nop),
			"Every 20 years":               tm.Every(20*year, nop),
			"Every longest period but one": tm.Every(math.MaxInt64-1, nop),
			"Every longest period":         tm.Every(math.MaxInt64, nop),
			"Every, and Reset to never":    moved,
		}
		timertest.Pass(year)
		assert.Equal(t, len(all), tm.Pending())
		assert.Zero(t, tm.Stats().Expired)
		for name, s := range all {
			assert.True(t, s.Stop(), name)
		}
	})
}

func TestEveryRunsOnceWhenTheClockJumpsForward(t *testing.T) {
	for _, jump := range []time.Duration{aPeriod, 100*aPeriod + aPeriod/2, 100 * 24 * time.Hour} {
		t.Run("by "+jump.String(), func(t *testing.T) {
			timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
				runs, start := make(chan time.Time, 100), clock.Now()
				s := tm.Every(aPeriod, func(*hashedwheel.Series) { runs <- clock.Now() })
				timertest.Pass(aPeriod + aPeriod/2)
				clock.Step(jump)
				landed := clock.Now()
				synctest.Wait()
				require.Len(t, runs, 2, "one run for all that were jumped over")
				<-runs
				assert.Equal(t, landed, <-runs)
				timertest.Pass(2 * aPeriod)
				require.Len(t, runs, 2)
				k := int(landed.Sub(start) / aPeriod)
				timertest.AssertOnGrid(t, start, aPeriod, tick, []time.Time{<-runs, <-runs}, k+1, k+2)
				s.Stop()
			})
		})
	}
}

// A clock that fails is no reason to call f. The series ends, and can begin again.
func TestSeriesEndsWhenTheClockFailsInItsRun(t *testing.T) {
	for way, fail := range failures {
		t.Run(way, func(t *testing.T) {
			pool, clock := new(timertest.HeldBack), &failingClock{Clock: new(timertest.SteppingClock)}
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log := new(timertest.RunLog)
				s := tm.Every(aPeriod, noted(log))
				timertest.Pass(aPeriod + tick)
				clock.fail = fail
				released := make(chan struct{})
				go func() {
					defer close(released) // deferred: the clock ends the goroutine
					pool.Release()
				}()
				<-released
				clock.fail = nil
				assert.Zero(t, log.Count())
				assert.True(t, ended(s))
				assert.False(t, s.Reset(aPeriod))
				timertest.Pass(aPeriod + tick)
				pool.Release()
				assert.Equal(t, 1, log.Count(), "it began again")
			}, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool), swallow)
		})
	}
}

// failingClock calls fail, which panics or ends the goroutine.
type failingClock struct {
	hashedwheel.Clock
	fail func()
}

func (c *failingClock) Now() time.Time {
	if c.fail != nil {
		c.fail()
	}
	return c.Clock.Now()
}

// The run at 4 ticks reads the clock, then loses its processor until 9.5: Reset has begun another
// grid by then, and the run at 9 is due, which the one at 2 covers. The time read before the Reset
// decides nothing.
func TestEveryLeavesOutARunAlthoughAnotherReadTheClockBeforeReset(t *testing.T) {
	pool, clock := new(timertest.HeldBack), new(timertest.InterruptedClock)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, covering := new(timertest.RunLog), make(chan struct{})
		start := time.Now()
		s := tm.Every(2*tick, func(*hashedwheel.Series) {
			if log.Note(); log.Count() == 1 {
				<-covering
			}
		})
		timertest.Pass(2 * tick)
		go pool.Release()
		timertest.Pass(2 * tick)
		resume := make(chan struct{})
		hold := func() { <-resume }
		clock.Then.Store(&hold)
		go pool.Release()
		timertest.Pass(tick)
		assert.True(t, s.Reset(4*tick))
		timertest.Pass(4*tick + tick/2)
		close(covering)
		synctest.Wait()
		close(resume)
		for range 60 {
			synctest.Wait()
			pool.Release()
			timertest.Pass(tick / 10)
		}
		timertest.AssertOnGrid(t, start, tick, tick/2, log.Times(), 2, 13)
	}, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool))
}
