package series_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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

func TestEveryFromNowRunsAtOnceByTheSystemsClock(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer timertest.Shutdown(t, tm)
	ran := make(chan struct{}, 100)
	for held := time.Hour; held > time.Second/2; { // the bound is a second: a machine that stands still may hold it that long
		begun := time.Now()
		tm.EveryFrom(tm.Now(), time.Hour, func(*hashedwheel.Series) { ran <- struct{}{} })
		held = time.Since(begun)
	}
	select {
	case <-ran:
	case <-time.After(time.Minute):
		t.Fatal("no run")
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

func TestEveryFromATimeOutOfReachNeverRunsAndIsPending(t *testing.T) {
	for name, first := range map[string]time.Time{
		"the year 9999":       time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		"the end of the time": time.Unix(math.MaxInt64/2, 0),
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				s := tm.EveryFrom(first, time.Hour, nop)
				timertest.Pass(365 * 24 * time.Hour)
				assert.Equal(t, 1, tm.Pending())
				assert.Zero(t, tm.Stats().Expired)
				assert.True(t, s.Stop())
			})
		})
	}
}

// A hundred series of the same period, each of which begins somewhere in it.
func TestEveryFromSpreadsSeriesOverAPeriod(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	const period = time.Second
	runs := map[time.Time]int{}
	for range 100 {
		tm.EveryFrom(tm.Now().Add(rand.N(period)), period, func(*hashedwheel.Series) { runs[clock.Now()]++ })
	}
	clock.Advance(period + 10*time.Millisecond)
	assert.Greater(t, len(runs), 30, "different ticks of 101")
}

func TestEveryFromOnAManualClockRunsInOneAdvance(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	var runs []time.Time
	tm.EveryFrom(clock.Now(), time.Second, func(*hashedwheel.Series) { runs = append(runs, clock.Now()) })
	clock.Advance(10 * time.Millisecond)
	require.Len(t, runs, 1, "at once, as AfterFunc(0) does")
	clock.Advance(3 * time.Second)
	timertest.AssertOnGrid(t, timertest.Epoch, time.Second, 10*time.Millisecond, runs, 0, 1, 2, 3)
}

// As Every's: the new period counts from now.
func TestEveryFromHasAnotherGridAfterReset(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, first := new(timertest.RunLog), tm.Now().Add(aPeriod/2)
		s := tm.EveryFrom(first, aPeriod, noted(log))
		timertest.Pass(3 * aPeriod)
		timertest.AssertOnGrid(t, first, aPeriod, tick, log.Times(), 0, 1, 2)
		start := time.Now()
		assert.True(t, s.Reset(2*aPeriod))
		timertest.Pass(4*aPeriod + tick)
		timertest.AssertOnGrid(t, start, 2*aPeriod, tick, log.Times()[3:], 1, 2)
	})
}
