package series_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestSeriesNextReturnsTheNextRun(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		start := time.Now()
		var inside time.Time
		s := tm.Every(aPeriod, func(s *hashedwheel.Series) {
			inside = s.Next()
			timertest.Pass(3 * aPeriod)
		})
		assert.Equal(t, start.Add(aPeriod), s.Next())
		timertest.Pass(aPeriod + tick)
		assert.Equal(t, start.Add(aPeriod), s.Next(), "it is with the executor")
		go pool.Release()
		timertest.Pass(aPeriod + tick)
		assert.Equal(t, start.Add(2*aPeriod), inside)
		assert.Equal(t, start.Add(2*aPeriod), s.Next(), "it came due during the first")
		s.Stop()
		assert.Zero(t, s.Next())
		timertest.Pass(3 * aPeriod)
	})
}

func TestSeriesCountsAsOnePending(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		s := tm.Every(aPeriod, func(s *hashedwheel.Series) {
			assert.Equal(t, 1, tm.Pending(), "in a run")
			assert.True(t, s.Next().After(time.Now()))
			time.Sleep(aPeriod / 2)
		})
		for n := range 20 {
			timertest.Pass(aPeriod - late)
			require.Equal(t, 1, tm.Pending(), "before run %d", n+1)
			require.False(t, ended(s))
			timertest.Pass(late)
		}
		s.Stop()
		timertest.Pass(2 * aPeriod)
		assert.Zero(t, tm.Pending())
	})
}

// A run that takes long has others come due, which are left out one by one.
func TestSeriesCountsAsOnePendingWhileARunTakesLong(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := tm.Every(aPeriod, func(*hashedwheel.Series) { time.Sleep(10 * aPeriod) })
		for range 99 {
			timertest.Pass(aPeriod / 7)
			require.Equal(t, 1, tm.Pending())
		}
		s.Stop()
		timertest.Pass(10 * aPeriod)
	})
}

func TestSeriesCountsAsNonePendingBetweenExpiryAndRun(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		s := tm.Every(aPeriod, nop)
		timertest.Pass(aPeriod + tick)
		assert.Zero(t, tm.Pending())
		assert.False(t, ended(s), "but it goes on")
		assert.Equal(t, 1, pool.Release())
		assert.Equal(t, 1, tm.Pending())
	})
}
