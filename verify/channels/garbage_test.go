package channels_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A server that ran for a day: millions of calls, and a new channel each tick.
func TestAfterLeavesNothingBehind(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()
	run := func(ticks int) (heap, allocs uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range ticks {
			for i := range 200 {
				tm.After(time.Duration(i%10) * time.Second)
			}
			clock.Advance(10 * time.Millisecond)
		}
		clock.Advance(time.Minute)
		runtime.GC()
		runtime.ReadMemStats(&after)
		return after.HeapAlloc, after.Mallocs - before.Mallocs
	}
	ticks := 20_000
	if testing.Short() {
		ticks = 4000
	}
	first, _ := run(2000)
	last, allocs := run(ticks)
	assert.Less(t, float64(last), float64(first)+64<<10, "bytes in use after 200 calls more in each of %d ticks", ticks)
	assert.Less(t, float64(allocs)/float64(200*ticks), 0.25, "allocations a call")
	assert.Zero(t, tm.Pending())
}
