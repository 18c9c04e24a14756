package series_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func tidyUp(*hashedwheel.Series) {}

// A list of pending timeouts can name the function of a series.
func TestTimeoutOfASeriesNamesItsFunction(t *testing.T) {
	_, tm := timertest.NewManual()
	tm.Every(time.Hour, tidyUp)
	left := tm.Stop()
	require.Len(t, left, 1)
	assert.Contains(t, left[0].String(), " series_test.tidyUp)")
}

// The effects of a stopped Timeout on its series, whoever stops it.
func TestSeriesEndsWhenItsTimeoutIsStopped(t *testing.T) {
	clock, tm := timertest.NewManual(timertest.Inline)
	defer tm.Stop()
	runs := 0
	s := tm.Every(time.Second, func(*hashedwheel.Series) { runs++ })
	pending := tm.Sample(1)
	require.Len(t, pending, 1)
	require.True(t, pending[0].Stop())
	assert.Zero(t, s.Next())
	assert.False(t, s.Stop(), "it was the other that ended it")
	clock.Advance(time.Minute)
	assert.Zero(t, runs)
	assert.False(t, s.Reset(time.Second))
	clock.Advance(10 * time.Second)
	assert.InDelta(t, 10, runs, 1)
}
