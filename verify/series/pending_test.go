package series_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A series that ends would be missed by nobody but its user, so a full timer refuses others instead: it counts.
func TestSeriesIsNotRefusedByAFullTimer(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		isFull := func() bool {
			to, err := tm.Schedule(time.Hour, timertest.NopTask)
			if to != nil {
				to.Stop()
			}
			return errors.Is(err, hashedwheel.ErrFull)
		}
		other, log := tm.AfterFunc(time.Hour, timertest.Nop), new(timertest.RunLog)
		every := tm.Every(aPeriod, noted(log))
		recur := tm.Recur(&agenda{time.Now().Add(aPeriod), time.Now().Add(3 * aPeriod)}, noted(log))
		all := []*hashedwheel.Series{every, recur}
		for _, s := range all {
			assert.NoError(t, s.Err())
			assert.True(t, s.Stop())
			assert.False(t, s.Reset(aPeriod), "it had ended")
			assert.NoError(t, s.Err())
		}
		timertest.Pass(2*aPeriod + tick)
		assert.Equal(t, 3, log.Count(), "two and one")
		assert.Equal(t, 3, tm.Pending())
		other.Stop()
		for _, s := range all {
			assert.True(t, isFull(), "each counts")
			assert.True(t, s.Stop())
		}
		assert.False(t, isFull())
	}, hashedwheel.WithMaxPending(1))
}

// Whoever gets the Timeout of a series, as a panic handler does, can arm it when the series has ended: it counts until
// it expires, and then runs nothing.
func TestTimeoutOfAnEndedSeriesCountsUntilItExpires(t *testing.T) {
	var series *hashedwheel.Timeout
	handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { series = to })
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := tm.Every(aPeriod, func(*hashedwheel.Series) { panic("on purpose") })
		timertest.Pass(aPeriod + tick)
		require.True(t, s.Stop())
		for range 3 {
			series.Reset(tick)
			require.NoError(t, series.Err())
			_, err := tm.Schedule(tick, timertest.NopTask)
			require.ErrorIs(t, err, hashedwheel.ErrFull)
			timertest.Pass(2 * tick)
		}
		assert.False(t, s.Stop())
		_, err := tm.Schedule(tick, timertest.NopTask)
		assert.NoError(t, err)
	}, hashedwheel.WithMaxPending(1), handler)
}
