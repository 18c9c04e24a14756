package promises

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A client makes a call now and then: the worker comes for each.
func TestQuietCallsAllocateNothing(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()
	to := timertest.Owned(tm, timertest.NopTask)
	quiet := runtime.NumGoroutine()
	call := func() {
		begun := time.Now()
		to.Reset(time.Millisecond)
		to.Stop()
		time.Sleep(3 * time.Millisecond) // the worker has come, as a rule: Stats, which would say so, allocates
		for runtime.NumGoroutine() > quiet && time.Since(begun) < time.Second {
			time.Sleep(time.Millisecond)
		}
	}
	for range 10 {
		call()
	}
	hasGone := func() bool { return timertest.LibraryGoroutines() == 0 }
	require.Eventually(t, hasGone, 10*time.Second, time.Millisecond, "the worker")
	before := tm.Stats().Wakeups
	assert.Zero(t, testing.AllocsPerRun(100, call))
	assert.GreaterOrEqual(t, tm.Stats().Wakeups-before, uint64(50), "a worker came for each")
}
