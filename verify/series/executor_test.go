package series_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Each run of a series arms the next. If the executor loses a run, the series stands still until a
// Reset or Stop.
func TestSeriesStandsStillWhenTheExecutorLosesARun(t *testing.T) {
	var lose atomic.Bool
	loser := hashedwheel.ExecutorFunc(func(f func()) {
		if !lose.Load() {
			f()
		}
	})
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log := new(timertest.RunLog)
		s := tm.Every(10*tick, noted(log))
		timertest.Pass(25 * tick)
		assert.Equal(t, 2, log.Count())
		lose.Store(true)
		timertest.Pass(100 * tick)
		assert.Equal(t, 2, log.Count())
		lose.Store(false)
		assert.True(t, s.Reset(10*tick), "it has not ended")
		timertest.Pass(25 * tick)
		assert.Equal(t, 4, log.Count())
		lose.Store(true)
		timertest.Pass(100 * tick)
		assert.True(t, s.Stop(), "it rests again")
		assert.False(t, s.Stop())
	}, hashedwheel.WithExecutor(loser))
}

// An executor that runs a task twice makes no run more than there are points.
func TestSeriesRunsOnceIfTheExecutorRunsItTwice(t *testing.T) {
	twice := hashedwheel.ExecutorFunc(func(f func()) {
		f()
		f()
	})
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, start := new(timertest.RunLog), time.Now()
		tm.Every(aPeriod, noted(log))
		timertest.Pass(20*aPeriod + tick)
		timertest.AssertOnGrid(t, start, aPeriod, tick, log.Times(), timertest.UpTo(20)...)
	}, hashedwheel.WithExecutor(twice))
}
