package series_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestEveryEndsWithStop(t *testing.T) {
	for moment, at := range map[string]time.Duration{
		"at once":             0,
		"before the first":    aPeriod / 2,
		"between two runs":    3*aPeriod + aPeriod/2,
		"just before a point": 4*aPeriod - 1,
	} {
		t.Run(moment, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log := new(timertest.RunLog)
				s := tm.Every(aPeriod, noted(log))
				timertest.Pass(at)
				before := log.Count()
				assert.Equal(t, int(at/aPeriod), before)
				assert.True(t, s.Stop())
				assert.False(t, s.Stop(), "the second time")
				assert.True(t, ended(s))
				assert.NoError(t, s.Err(), "nobody refused it")
				assert.Zero(t, tm.Pending())
				timertest.Pass(10 * aPeriod)
				assert.Equal(t, before, log.Count(), "runs after Stop")
				assert.Equal(t, uint64(before), tm.Stats().Expired)
			})
		})
	}
}

func TestEveryEndsWithStopFromInside(t *testing.T) {
	for way, end := range map[string]func(){
		"and returns":  timertest.Nop,
		"and panics":   func() { panic("on purpose") },
		"and exits":    runtime.Goexit,
		"and is slow":  func() { time.Sleep(5 * aPeriod) },
		"and rests on": func() { time.Sleep(aPeriod - tick) },
	} {
		t.Run(way, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log := new(timertest.RunLog)
				s := tm.Every(aPeriod, func(s *hashedwheel.Series) {
					if log.Note(); log.Count() == 3 {
						assert.Equal(t, 1, tm.Pending())
						assert.True(t, s.Stop())
						assert.False(t, s.Stop(), "the second time")
						assert.Zero(t, tm.Pending())
						end()
					}
				})
				timertest.Pass(20 * aPeriod)
				assert.Equal(t, 3, log.Count())
				assert.True(t, ended(s))
				assert.Equal(t, uint64(3), tm.Stats().Expired)
			}, swallow)
		})
	}
}

// From outside, while f runs; then while the run is on for which it was skipped.
func TestEveryEndsWithStopDuringARun(t *testing.T) {
	for moment, at := range map[string]time.Duration{
		"before the next point": aPeriod + aPeriod/2,
		"after a skipped point": 2*aPeriod + aPeriod/2,
	} {
		t.Run(moment, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				var begun, finished atomic.Int64
				s := tm.Every(aPeriod, func(*hashedwheel.Series) {
					begun.Add(1)
					time.Sleep(3 * aPeriod)
					finished.Add(1)
				})
				timertest.Pass(at)
				assert.True(t, s.Stop())
				assert.Equal(t, int64(1), begun.Load())
				assert.Zero(t, finished.Load(), "Stop does not wait")
				timertest.Pass(20 * aPeriod)
				assert.Equal(t, int64(1), begun.Load())
				assert.Equal(t, int64(1), finished.Load())
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestEveryEndsWithStopBetweenExpiryAndRun(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(aPeriod + tick)
		assert.True(t, s.Stop(), "the run that is held back is prevented")
		assert.False(t, s.Stop())
		assert.True(t, ended(s))
		timertest.Pass(5 * aPeriod)
		assert.Equal(t, 1, pool.Release())
		timertest.Pass(5 * aPeriod)
		assert.Zero(t, pool.Release())
		assert.Zero(t, log.Count())
		assert.Zero(t, tm.Pending())
		assert.True(t, ended(s))
	})
}

// The Scheduler is user code: the series can be stopped while it runs.
func TestRecurEndsWithStopDuringNext(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		log, calls := new(timertest.RunLog), 0
		var s atomic.Pointer[hashedwheel.Series] // Next is not handed it
		s.Store(tm.Recur(schedule(func(now time.Time) time.Time {
			if calls++; calls == 2 {
				assert.True(t, s.Load().Stop())
				assert.False(t, s.Load().Stop())
			}
			return now.Add(aPeriod)
		}), noted(log)))
		timertest.Pass(10 * aPeriod)
		assert.Zero(t, log.Count(), "the run had not begun")
		assert.Equal(t, 2, calls)
		assert.True(t, ended(s.Load()))
		assert.Zero(t, tm.Pending())
	})
}

func TestSeriesEndsWithTheTimer(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(3*aPeriod + late)
		left := tm.Stop()
		require.Len(t, left, 1, "its Timeout")
		assert.Equal(t, hashedwheel.Canceled, left[0].State())
		assert.Equal(t, start.Add(4*aPeriod), left[0].Deadline(), "of the next run")
		assert.True(t, ended(s))
		assert.NoError(t, s.Err(), "it was not refused")
		assert.False(t, s.Stop(), "Timer.Stop did")
		assert.False(t, s.Reset(tick))
		assert.ErrorIs(t, s.Err(), hashedwheel.ErrStopped)
		timertest.Pass(10 * aPeriod)
		assert.Equal(t, 3, log.Count())
	})
}

// As every timeout that has expired, its run takes place. It is the last.
func TestSeriesRunsOnceMoreWhenTheTimerEndsBetweenExpiryAndRun(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(aPeriod + tick)
		assert.Empty(t, tm.Stop())
		assert.Equal(t, 1, pool.Release())
		assert.Equal(t, 1, log.Count(), "what Stop did not return runs")
		assert.ErrorIs(t, s.Err(), hashedwheel.ErrStopped)
		assert.True(t, ended(s))
		assert.False(t, s.Stop())
		timertest.Pass(10 * aPeriod)
		assert.Zero(t, pool.Release())
	})
}

// Only Stop prevents it.
func TestSeriesEndsWithStopAlthoughTheTimerEndedBefore(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, noted(log))
		timertest.Pass(aPeriod + tick)
		assert.Empty(t, tm.Stop())
		assert.True(t, s.Stop())
		assert.Equal(t, 1, pool.Release())
		assert.Zero(t, log.Count())
	})
}

func TestSeriesOnAStoppedTimerIsRefused(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.Stop()
		for _, s := range []*hashedwheel.Series{
			tm.Every(aPeriod, nop),
			tm.Recur(&agenda{times: []time.Time{time.Now().Add(aPeriod)}}, nop),
		} {
			assert.ErrorIs(t, s.Err(), hashedwheel.ErrStopped)
			assert.True(t, ended(s))
			assert.False(t, s.Stop())
		}
		timertest.Pass(2 * aPeriod)
		assert.Zero(t, tm.Stats().Expired)
	})
}
