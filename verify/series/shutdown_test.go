package series_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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

func TestSeriesEndsWithTheTimerFromInside(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		log := new(timertest.RunLog)
		s := tm.Every(aPeriod, func(s *hashedwheel.Series) {
			if log.Note(); log.Count() == 3 {
				assert.Len(t, tm.Stop(), 1)
				assert.True(t, ended(s))
			}
		})
		timertest.Pass(20 * aPeriod)
		assert.Equal(t, 3, log.Count())
		assert.True(t, ended(s))
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

func TestSeriesIsWaitedForByShutdownWhileItRuns(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		finished := false
		tm.Every(aPeriod, func(*hashedwheel.Series) {
			time.Sleep(10 * aPeriod)
			finished = true
		})
		timertest.Pass(aPeriod + late)
		left, err := tm.Shutdown(t.Context())
		require.NoError(t, err)
		assert.True(t, finished)
		assert.Len(t, left, 1)
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
