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

// As time.Ticker.Reset: the period is another, counted from now.
func TestEveryHasAnotherPeriodAfterReset(t *testing.T) {
	for _, change := range []struct {
		name       string
		at, period time.Duration // at is from the start
	}{
		{"the same, before the first run", aPeriod / 3, aPeriod},
		{"shorter, before the first run", aPeriod / 3, aPeriod / 2},
		{"longer, before the first run", aPeriod / 3, 3 * aPeriod},
		{"the same, between two runs", 2*aPeriod + aPeriod*2/3, aPeriod},
		{"shorter, between two runs", 2*aPeriod + aPeriod*2/3, aPeriod - 1},
		{"longer, between two runs", 2*aPeriod + aPeriod*2/3, 5*aPeriod + 1},
	} {
		t.Run(change.name, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				log := new(timertest.RunLog)
				s := tm.Every(aPeriod, noted(log))
				timertest.Pass(change.at)
				before, start := log.Count(), time.Now()
				assert.Equal(t, int(change.at/aPeriod), before)
				assert.True(t, s.Reset(change.period))
				assert.Equal(t, start.Add(change.period), s.Next())
				timertest.Pass(20*change.period + late)
				timertest.AssertOnGrid(t, start, change.period, late, log.Times()[before:], timertest.UpTo(20)...)
				assert.Equal(t, 1, tm.Pending())
			})
		})
	}
}

func TestEveryHasAnotherPeriodAfterResetFromInside(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log := new(timertest.RunLog)
		var start time.Time
		tm.Every(aPeriod, func(s *hashedwheel.Series) {
			if log.Note(); log.Count() == 2 {
				start = time.Now()
				assert.True(t, s.Reset(2*aPeriod))
			}
		})
		timertest.Pass(8*aPeriod + 2*late)
		timertest.AssertOnGrid(t, start, 2*aPeriod, late, log.Times()[2:], 1, 2, 3)
	})
}

func TestEveryBeginsAgainWithReset(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(aPeriod / 2)
		s.Stop()
		timertest.Pass(3 * aPeriod)
		start := time.Now()
		assert.False(t, s.Reset(aPeriod))
		assert.True(t, s.Reset(aPeriod), "now it is on")
		timertest.Pass(2*aPeriod + late)
		timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), 1, 2)
		assert.True(t, s.Stop(), "it can be stopped again")
	})
}

func TestEveryBeginsAgainWithResetBetweenStopAndTheRunHeldBack(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(aPeriod + tick)
		assert.True(t, s.Stop())
		assert.False(t, s.Reset(aPeriod))
		assert.Equal(t, 1, pool.Release())
		assert.Zero(t, log.Count(), "the run that was stopped")
		assert.False(t, ended(s))
		for n := range 3 {
			timertest.Pass(aPeriod + tick)
			assert.Equal(t, 1, pool.Release())
			assert.Equal(t, n+1, log.Count())
		}
	})
}

func TestEveryRunsOnceWhenResetBetweenExpiryAndRun(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(aPeriod + tick)
		assert.True(t, s.Reset(aPeriod/2))
		assert.Equal(t, 1, pool.Release())
		assert.Zero(t, log.Count(), "moved")
		timertest.Pass(aPeriod/2 + tick)
		assert.True(t, s.Reset(aPeriod/2))
		timertest.Pass(aPeriod/2 + tick)
		assert.Equal(t, 2, pool.Release(), "the run that was moved, and what it was moved to")
		assert.Equal(t, 1, log.Count())
	})
}

// The first run takes so long that the second is due, and would be left out.
func TestEveryRunsAfterALongRunAsResetInsideIt(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, func(*hashedwheel.Series) {
			if log.Note(); log.Count() == 1 {
				timertest.Pass(aPeriod + aPeriod/2)
			}
		})
		timertest.Pass(aPeriod + tick)
		assert.Equal(t, 1, pool.Release())
		assert.True(t, s.Reset(aPeriod))
		assert.Equal(t, 1, pool.Release(), "the second")
		assert.Equal(t, 1, log.Count(), "the second is void")
		timertest.Pass(aPeriod + tick)
		assert.Equal(t, 1, pool.Release())
		assert.Equal(t, 2, log.Count())
	})
}

// A Reset to the very time of the run that it makes void is no run that was left out.
func TestRecurRunsOnceWhenResetToNowBetweenExpiryAndRun(t *testing.T) {
	pool := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(pool))
	defer tm.Stop()
	runs := 0
	hourly := schedule(func(now time.Time) time.Time { return now.Add(time.Hour) })
	s := tm.Recur(hourly, func(*hashedwheel.Series) { runs++ })
	clock.Advance(time.Hour)
	assert.Equal(t, 1, pool.Release())
	clock.Advance(time.Hour)
	assert.True(t, s.Reset(0))
	assert.Equal(t, 1, pool.Release())
	assert.Equal(t, 1, runs, "the second was moved")
	clock.Advance(10 * time.Millisecond)
	assert.Equal(t, 1, pool.Release())
	assert.Equal(t, 2, runs)
}

func TestRecurIsMovedByReset(t *testing.T) {
	for _, d := range []time.Duration{math.MinInt64, -1, 0, tick / 2, 3 * tick} {
		t.Run(d.String(), func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				log, start := new(timertest.RunLog), time.Now()
				s := tm.Recur(&agenda{times: []time.Time{start.Add(50 * aPeriod), start.Add(2 * aPeriod)}}, noted(log))
				timertest.Pass(aPeriod / 2)
				moved := time.Now()
				assert.True(t, s.Reset(d))
				timertest.Pass(5 * aPeriod)
				require.Equal(t, 2, log.Count())
				timertest.AssertOnGrid(t, moved, max(d, 0), late, log.Times()[:1], 1)
				timertest.AssertOnGrid(t, start, aPeriod, late, log.Times()[1:], 2)
				assert.True(t, ended(s), "as the Scheduler says")
			})
		})
	}
}

// A Reset by f itself does not count as a run that was due before f returned.
func TestRecurRunsNextAsResetFromInside(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock, tm := timertest.NewManual(opts...)
				defer tm.Stop()
				hourly := schedule(func(now time.Time) time.Time { return now.Add(time.Hour) })
				log := new(timertest.RunLog)
				tm.Recur(hourly, func(s *hashedwheel.Series) {
					if log.Note(); log.Count() == 1 {
						s.Reset(0)
					}
				})
				clock.Advance(time.Hour)
				synctest.Wait() // f has returned
				assert.Equal(t, 1, log.Count())
				clock.Advance(10 * time.Millisecond)
				synctest.Wait()
				assert.Equal(t, 2, log.Count())
			})
		})
	}
}
