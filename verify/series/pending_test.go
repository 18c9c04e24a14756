package series_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestSeriesIsRefusedByAFullTimer(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		other, log := tm.AfterFunc(time.Hour, timertest.Nop), new(timertest.RunLog)
		every := tm.Every(aPeriod, noted(log))
		recur := tm.Recur(&agenda{times: []time.Time{time.Now().Add(aPeriod)}}, noted(log))
		for _, s := range []*hashedwheel.Series{every, recur} {
			assert.ErrorIs(t, s.Err(), hashedwheel.ErrFull)
			assert.True(t, ended(s))
			assert.False(t, s.Stop())
			assert.False(t, s.Reset(aPeriod), "still full")
			assert.ErrorIs(t, s.Err(), hashedwheel.ErrFull)
		}
		timertest.Pass(2 * aPeriod)
		assert.Zero(t, log.Count())
		other.Stop()
		assert.False(t, every.Reset(aPeriod), "it had ended")
		assert.NoError(t, every.Err())
		timertest.Pass(2*aPeriod + tick)
		assert.Equal(t, 2, log.Count())
	}, hashedwheel.WithMaxPending(1))
}

func TestSeriesKeepsItsPlaceUnderABound(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		s := tm.Every(aPeriod, noted(log))
		require.ErrorIs(t, tm.Every(aPeriod, nop).Err(), hashedwheel.ErrFull, "the bound is one")
		for range 20 * 10 {
			timertest.Pass(aPeriod / 10)
			require.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, timertest.Nop).State())
		}
		timertest.Pass(late)
		timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), timertest.UpTo(20)...)
		assert.True(t, s.Stop())
		assert.Zero(t, tm.Pending())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, timertest.Nop).State(), "the place is free again")
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, timertest.Nop).State(), "and is one")
	}, hashedwheel.WithMaxPending(1))
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
