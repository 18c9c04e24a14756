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

func TestEveryFromRunsAtItsFirstTimeAndOnTheGridThroughIt(t *testing.T) {
	for _, ahead := range []time.Duration{0, 1, tick / 2, aPeriod / 3, aPeriod, 3*aPeriod + tick, 100 * aPeriod} {
		t.Run("in "+ahead.String(), func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				log, first := new(timertest.RunLog), tm.Now().Add(ahead)
				s := tm.EveryFrom(first, aPeriod, noted(log))
				assert.Equal(t, first, s.Next())
				timertest.Pass(ahead + 20*aPeriod + late)
				timertest.AssertOnGrid(t, first, aPeriod, late, log.Times(), append([]int{0}, timertest.UpTo(20)...)...)
			})
		})
	}
}

// The grid of a first time that is past goes on from there.
func TestEveryFromThePastRunsAtTheNextPointOfTheGrid(t *testing.T) {
	for _, points := range []int{0, 1, 7, 1_000_000} {
		onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
			log := new(timertest.RunLog)
			next := time.Now().Add(aPeriod / 3)
			first := next.Add(-aPeriod).Add(-time.Duration(points) * aPeriod)
			s := tm.EveryFrom(first, aPeriod, noted(log))
			assert.Equal(t, next, s.Next())
			timertest.Pass(5 * aPeriod)
			timertest.AssertOnGrid(t, next, aPeriod, late, log.Times(), 0, 1, 2, 3, 4)
		})
	}
}

// However long the caller was held between Now and EveryFrom, up to the bound.
func TestEveryFromNowRunsAtOnce(t *testing.T) {
	for _, c := range []struct {
		period, held time.Duration
		atOnce       bool
	}{
		{time.Hour, 0, true},
		{time.Hour, 1, true},
		{time.Hour, tick, true},
		{time.Hour, time.Second - 1, true},
		{time.Hour, time.Second, false},
		{time.Second, time.Second/10 - 1, true},
		{time.Second, time.Second / 10, false},
		{10 * tick, tick - 1, true},
		{1, 0, true},
		{1, tick, true}, // each tick has a point
	} {
		t.Run(c.held.String()+" of "+c.period.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 3)
				log, first := new(timertest.RunLog), tm.Now()
				time.Sleep(c.held)
				s := tm.EveryFrom(first, c.period, noted(log))
				timertest.Pass(tick)
				assert.Equal(t, c.atOnce, log.Count() == 1)
				if c.period > tick {
					assert.Equal(t, first.Add(c.period), s.Next())
				}
			})
		})
	}
}

// A time that was truncated has no monotonic reading: the wall clock decides how far away it is.
func TestEveryFromATruncatedTimeRunsOnTheHour(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		timertest.Pass(17*time.Minute + 3)
		log, hour := new(timertest.RunLog), time.Now().Truncate(time.Hour)
		s := tm.EveryFrom(hour, time.Hour, noted(log))
		assert.True(t, s.Next().Equal(hour.Add(time.Hour)))
		timertest.Pass(24 * time.Hour)
		timertest.AssertOnGrid(t, hour, time.Hour, late, log.Times(), timertest.UpTo(24)...)
	})
}

// Centuries ago is farther than a time.Duration reaches.
func TestEveryFromATimeCenturiesAgoKeepsToItsGrid(t *testing.T) {
	for name, first := range map[string]time.Time{
		"the zero time":   {},
		"before that":     time.Date(-5000, 3, 4, 5, 0, 0, 0, time.UTC),
		"the year 1600":   time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC),
		"the first there": time.Unix(math.MinInt64/2, 0).Truncate(time.Hour),
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
	everyFrom := func(first time.Time) func(tm *hashedwheel.Timer) *hashedwheel.Series {
		return func(tm *hashedwheel.Timer) *hashedwheel.Series { return tm.EveryFrom(first, time.Hour, nop) }
	}
	recur := func(next time.Time) func(tm *hashedwheel.Timer) *hashedwheel.Series {
		always := schedule(func(time.Time) time.Time { return next })
		return func(tm *hashedwheel.Timer) *hashedwheel.Series { return tm.Recur(always, nop) }
	}
	every := func(period time.Duration) func(tm *hashedwheel.Timer) *hashedwheel.Series {
		return func(tm *hashedwheel.Timer) *hashedwheel.Series { return tm.Every(period, nop) }
	}
	for name, begin := range map[string]func(tm *hashedwheel.Timer) *hashedwheel.Series{
		"EveryFrom the year 9999":       everyFrom(year9999),
		"EveryFrom the end of the time": everyFrom(last),
		"Recur in the year 9999":        recur(year9999),
		"Recur at the end of the time":  recur(last),
		"Every 20 years":                every(20 * 365 * 24 * time.Hour),
		"Every longest period but one":  every(math.MaxInt64 - 1),
		"Every longest period":          every(math.MaxInt64),
		"Every, and Reset to never": func(tm *hashedwheel.Timer) *hashedwheel.Series {
			s := tm.Every(time.Hour, nop)
			s.Reset(math.MaxInt64)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 3)
				s := begin(tm)
				timertest.Pass(365 * 24 * time.Hour)
				assert.Equal(t, 1, tm.Pending())
				assert.Zero(t, tm.Stats().Expired)
				assert.True(t, s.Stop())
			})
		})
	}
}
