package channels_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAfterIsNeverEarlyAndAtMostOneTickLate(t *testing.T) {
	for _, phase := range []time.Duration{0, 1, tick / 3, tick - 1} {
		t.Run("asked "+phase.String()+" after a tick", func(t *testing.T) {
			onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(phase)
				var waiters sync.WaitGroup
				for _, d := range timertest.DelaysAround(8) {
					deadline := time.Now().Add(max(d, 0))
					c := tm.After(d)
					waiters.Go(func() {
						<-c
						assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick), "After(%v)", d)
					})
				}
				waiters.Wait()
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestAfterOutOfReachIsNever(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		never := tm.After(math.MaxInt64)
		timertest.Pass(365 * 24 * time.Hour)
		assert.Equal(t, never, tm.After(math.MaxInt64-1), "never is a tick like others")
		assert.Equal(t, never, tm.After(20*365*24*time.Hour))
		assert.False(t, isClosed(never))
		assert.Equal(t, 1, tm.Pending())
		assert.Zero(t, timertest.LibraryGoroutines(), "nothing to do")
		tm.Stop()
		assert.True(t, isClosed(never))
	})
}

func TestAfterIsNotRefusedByABound(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(time.Hour, timertest.Nop)
		c := tm.After(10 * tick)
		other := tm.After(20 * tick)
		assert.False(t, isClosed(c))
		assert.Equal(t, 3, tm.Pending())
		timertest.Pass(15 * tick)
		assert.True(t, isClosed(c))
		assert.True(t, to.Stop())
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, timertest.Nop).State(), "but it counts")
		timertest.Pass(15 * tick)
		assert.True(t, isClosed(other))
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, timertest.Nop).State(), "until it is closed")
		assert.Equal(t, uint64(1), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

func TestAfterIsQuiet(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		c := tm.After(time.Hour)
		assert.LessOrEqual(t, timertest.Wakeups(tm, 2*time.Hour), uint64(5))
		assert.True(t, isClosed(c))
		assert.Zero(t, timertest.LibraryGoroutines())
	})
}

func TestAfterCountsInStats(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 100 {
			tm.After(tick)
		}
		tm.After(time.Hour)
		timertest.Pass(2 * tick)
		assert.Equal(t, uint64(1), tm.Stats().Expired)
		tm.Stop()
		assert.Equal(t, uint64(1), tm.Stats().Canceled)
	})
}
