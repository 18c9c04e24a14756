package promises

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A client that makes a call now and then: the worker comes and goes with each.
func TestQuietCallsAllocateNextToNothing(t *testing.T) {
	const tick = 100 * time.Microsecond
	tm := hashedwheel.MustNew(hashedwheel.WithTick(tick))
	defer tm.Stop()
	to := timertest.Owned(tm, timertest.NopTask)
	call := func() {
		to.Reset(time.Hour)
		to.Stop()
		time.Sleep(50 * tick)
	}
	for range 10 {
		call()
	}
	require.Zero(t, timertest.LibraryGoroutines(), "the worker has gone")
	before := tm.Stats().Wakeups
	assert.LessOrEqual(t, testing.AllocsPerRun(100, call), 2.0)
	assert.GreaterOrEqual(t, tm.Stats().Wakeups-before, uint64(50), "a worker came for each")
}
