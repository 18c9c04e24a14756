package promises

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// slowClock is the bubble's clock. Once countdown has been set to n, the nth Now takes a second.
type slowClock struct{ countdown atomic.Int32 }

func (c *slowClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (c *slowClock) Now() time.Time {
	if c.countdown.Add(-1) == 0 {
		time.Sleep(time.Second)
	}
	return time.Now()
}

// A goroutine that calls Stats may wait for a processor between any two of its steps. The time that it waits is
// not the timeouts' delay.
func TestOverdueLeavesOutTheDelayOfStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(slowClock)
		tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
		defer tm.Stop()
		timeout := tm.AfterFunc(500*time.Millisecond, func() {})
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()          // the alarm is set for the timeout
		clock.countdown.Store(1) // within the only reading
		stats := tm.Stats()
		require.Equal(t, hashedwheel.Expired, timeout.State())
		assert.Zero(t, stats.Overdue)
		assert.Less(t, stats.LatenessSum, 100*time.Millisecond)
	})
}

// A worker that its alarm has called may have to wait for a processor before it first looks at the clock.
func TestOverdueCountsTheDelayOfAWorkerThatTheAlarmHasCalled(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, isSet := range map[string]bool{"for the first time": false, "earlier than before": true} {
		t.Run(name, func(t *testing.T) {
			waited := 0
			for range 30 { // in some of them the scheduler lets the worker run at once
				tm := hashedwheel.MustNew(hashedwheel.WithTick(100*time.Microsecond), timertest.Inline)
				if isSet {
					tm.AfterFunc(time.Hour, timertest.Nop)
					time.Sleep(time.Millisecond)
				}
				to := tm.AfterFunc(100*time.Microsecond, timertest.Nop)
				for begun := time.Now(); time.Since(begun) < 3*time.Millisecond; {
				}
				overdue := tm.Stats().Overdue
				if to.State() == hashedwheel.Pending {
					waited++
					assert.Greater(t, overdue, 2*time.Millisecond)
				}
				timertest.Shutdown(t, tm)
			}
			assert.Positive(t, waited)
		})
	}
}
