package promises

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
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
		synctest.Wait()          // the worker sleeps until the timeout is due
		clock.countdown.Store(1) // within the only reading
		stats := tm.Stats()
		require.Equal(t, hashedwheel.Expired, timeout.State())
		assert.Zero(t, stats.Overdue)
		assert.Less(t, stats.MaxLag, 100*time.Millisecond)
	})
}
