package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tidyUp(*Series) {}

// A list of what is pending can name the function of a series.
func TestTimeoutOfASeriesNamesItsFunction(t *testing.T) {
	tm := MustNew(WithClock(NewManualClock(time.Now())))
	tm.Every(time.Hour, tidyUp)
	left := tm.Stop()
	require.Len(t, left, 1)
	assert.Contains(t, left[0].String(), " hashedwheel.tidyUp)")
}

// What a stopped Timeout does to its series, whoever gets hold of it.
func TestSeriesEndsWhenItsTimeoutIsStopped(t *testing.T) {
	clock := NewManualClock(time.Now())
	tm := MustNew(WithClock(clock), WithExecutor(Inline{}))
	defer tm.Stop()
	runs := 0
	s := tm.Every(time.Second, func(*Series) { runs++ })
	require.True(t, s.to.Stop())
	assert.Zero(t, s.Next())
	assert.False(t, s.Stop(), "it was the other that ended it")
	clock.Advance(time.Minute)
	assert.Zero(t, runs)
	assert.False(t, s.Reset(time.Second))
	clock.Advance(10 * time.Second)
	assert.InDelta(t, 10, runs, 1)
}

func TestGridIsTheSameBeforeAndAfterItsStart(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	g := grid{start, 10}
	for ns, last := range map[time.Duration]time.Duration{-21: -30, -20: -20, -11: -20, -1: -10, 0: 0, 1: 0, 9: 0, 10: 10, 29: 20} {
		assert.Equal(t, time.Duration(ns-last), g.past(start.Add(ns)), "since the last point before %d", ns)
	}
}
