package series_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestEveryRunsOnItsGridAndNeverDrifts(t *testing.T) {
	for _, period := range []time.Duration{2 * tick, aPeriod, time.Second + 1, time.Hour - 1} {
		t.Run(period.String(), func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				if period < late {
					t.Skip("the pool delays for longer than the period")
				}
				log, start := new(timertest.RunLog), time.Now()
				tm.Every(period, noted(log))
				timertest.Pass(1000*period + late)
				timertest.AssertOnGrid(t, start, period, late, log.Times(), timertest.UpTo(1000)...)
			})
		})
	}
}

func TestEveryWithAPeriodShorterThanATickRunsOnceATick(t *testing.T) {
	for _, period := range []time.Duration{1, tick / 3, tick - 1} {
		t.Run(period.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log := new(timertest.RunLog)
				tm.Every(period, noted(log))
				timertest.Pass(100*tick + tick/2)
				runs := log.Times()
				assert.Len(t, runs, 100)
				for i := range runs[1:] {
					assert.GreaterOrEqual(t, runs[i+1].Sub(runs[i]), tick)
				}
			})
		})
	}
}

// lateClock rings a little late, as every system's clock does.
type lateClock struct{ by time.Duration }

func (c lateClock) Now() time.Time                         { return time.Now() }
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

// But one whose tick has begun is passed over: after a stall there is one run for all.
func TestEveryRunsOnceForAllPointsOfAStallThatEndsJustAfterOne(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 10)
		log, start := new(timertest.RunLog), time.Now()
		const period = 10 * tick
		tm.Every(period, noted(log))
		// The stall ends in the tick that begins right after a point.
		tm.AfterFunc(2*period+2*tick, func() { time.Sleep(50*period - tick - tick/4) })
		timertest.Pass(54*period + tick)
		runs := log.Times()
		require.Len(t, runs, 5)
		timertest.AssertOnGrid(t, start, period, tick, runs[:2], 1, 2)
		timertest.AssertOnGrid(t, start, period, tick, runs[3:], 53, 54)
	}, timertest.OnWorker)
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

func TestEveryWithAPeriodOutOfReachNeverRunsAndIsPending(t *testing.T) {
	for _, period := range []time.Duration{20 * 365 * 24 * time.Hour, math.MaxInt64 - 1, math.MaxInt64} {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			time.Sleep(tick / 3)
			s := tm.Every(period, nop)
			timertest.Pass(365 * 24 * time.Hour)
			assert.Equal(t, 1, tm.Pending())
			assert.Zero(t, tm.Stats().Expired)
			assert.True(t, s.Stop())
		})
	}
}

func TestEveryRunsAtEachHourOfADayOnAManualClock(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"in one go, on the worker": {timertest.OnWorker},
		"in one go, Inline":        {timertest.Inline},
		"with one bucket":          {hashedwheel.WithWheelSize(1)},
	} {
		t.Run(name, func(t *testing.T) {
			clock, tm := timertest.NewManual(opts...)
			defer tm.Stop()
			clock.Advance(3 * time.Millisecond)
			var runs []time.Time
			start := clock.Now()
			s := tm.Every(time.Hour, func(*hashedwheel.Series) { runs = append(runs, clock.Now()) })
			clock.Advance(24 * time.Hour)
			timertest.AssertOnGrid(t, start, time.Hour, 10*time.Millisecond, runs, timertest.UpTo(23)...)
			clock.Advance(10 * time.Millisecond)
			timertest.AssertOnGrid(t, start, time.Hour, 10*time.Millisecond, runs, timertest.UpTo(24)...)
			assert.Equal(t, 1, tm.Pending())
			assert.True(t, s.Stop())
			clock.Advance(24 * time.Hour)
			assert.Len(t, runs, 24)
		})
	}
}

func TestEveryIsQuietBetweenItsRuns(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		s := tm.Every(time.Hour, nop)
		woken := timertest.Wakeups(tm, 100*time.Hour)
		assert.LessOrEqual(t, woken, uint64(4*100), "wake-ups of 100 runs")
		s.Stop()
		timertest.Pass(5 * tick)
		assert.Zero(t, timertest.LibraryGoroutines())
	})
}
