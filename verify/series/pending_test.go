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
		recur := tm.Recur(&agenda{time.Now().Add(aPeriod)}, noted(log))
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

// Whoever gets the Timeout of a series, as a panic handler does, can arm it when the series has ended: it has a place
// until it has run.
func TestTimeoutOfAnEndedSeriesGivesItsPlaceBack(t *testing.T) {
	var series *hashedwheel.Timeout
	handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { series = to })
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := tm.Every(aPeriod, func(*hashedwheel.Series) { panic("on purpose") })
		timertest.Pass(aPeriod + tick)
		require.True(t, s.Stop())
		for range 3 {
			series.Reset(tick)
			require.NoError(t, series.Err())
			require.ErrorIs(t, tm.AfterFunc(tick, timertest.Nop).Err(), hashedwheel.ErrFull)
			timertest.Pass(2 * tick)
		}
		assert.False(t, s.Stop())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(tick, timertest.Nop).State())
	}, hashedwheel.WithMaxPending(1), handler)
}
