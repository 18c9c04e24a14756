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

// Whoever gets the Timeout of a series, as a panic handler does, can arm it when the series has ended: it has a place
// until it has run.
func TestTimeoutOfAnEndedSeriesGivesItsPlaceBack(t *testing.T) {
	var series *hashedwheel.Timeout
	handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { series = to })
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		s := tm.Every(aPeriod, func(*hashedwheel.Series) { panic("on purpose") })
		timertest.Pass(aPeriod + tick)
		pool.Release()
		require.True(t, s.Stop())
		for range 3 {
			series.Reset(tick)
			require.NoError(t, series.Err())
			require.ErrorIs(t, tm.AfterFunc(tick, timertest.Nop).Err(), hashedwheel.ErrFull)
			timertest.Pass(2 * tick)
			require.Equal(t, 1, pool.Release())
		}
		assert.False(t, s.Stop())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(tick, timertest.Nop).State())
	}, hashedwheel.WithMaxPending(1), handler)
}

// With room for one, a series that has ended in whatever way has given its place back, once.
func TestSeriesThatEndsGivesItsPlaceBack(t *testing.T) {
	run := func(_ *hashedwheel.Series, pool *timertest.HeldBack) {
		timertest.Pass(aPeriod + tick)
		pool.Release()
	}
	for way, w := range map[string]struct {
		end  func(s *hashedwheel.Series, pool *timertest.HeldBack)
		next func() time.Time // the second answer of the Scheduler
	}{
		"by Stop": {end: func(s *hashedwheel.Series, _ *timertest.HeldBack) { s.Stop() }},
		"by Stop when it is due": {end: func(s *hashedwheel.Series, pool *timertest.HeldBack) {
			timertest.Pass(aPeriod + tick)
			s.Stop()
			pool.Release()
		}},
		"as its Scheduler says":  {run, func() time.Time { return time.Time{} }},
		"as its Scheduler fails": {run, func() time.Time { panic("on purpose") }},
	} {
		t.Run(way, func(t *testing.T) {
			timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
				for range 3 {
					calls := 0
					s := tm.Recur(schedule(func(now time.Time) time.Time {
						if calls++; calls == 2 {
							return w.next()
						}
						return now.Add(aPeriod)
					}), nop)
					require.NoError(t, s.Err())
					w.end(s, pool)
					require.True(t, ended(s))
				}
				assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, timertest.Nop).State())
				assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, timertest.Nop).State())
			}, hashedwheel.WithMaxPending(1), swallow)
		})
	}
}
