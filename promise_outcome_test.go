package hashedwheel_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

func TestOneOutcomePerArmingThatExpires(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		to, err := tm.Schedule(3*oneTick, &log)
		require.NoError(t, err)
		assert.Equal(t, hashedwheel.Pending, to.State())
		pass(3 * oneTick)
		assert.Equal(t, hashedwheel.Expired, to.State())
		assert.False(t, to.Stop(), "too late")
		assert.Empty(t, tm.Stop(), "it is not left over")
		assert.Equal(t, hashedwheel.Expired, to.State())
		assert.Equal(t, 1, log.count())
	})
}

func TestOneOutcomePerArmingThatIsCancelled(t *testing.T) {
	for _, after := range []time.Duration{0, oneTick / 2, oneTick, 50 * oneTick, time.Minute} {
		t.Run(fmt.Sprintf("after %v", after), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log runLog
				to, err := tm.Schedule(time.Hour, &log)
				require.NoError(t, err)
				pass(after)
				assert.True(t, to.Stop())
				assert.Equal(t, hashedwheel.Cancelled, to.State())
				assert.False(t, to.Stop(), "another call did that")
				pass(2 * time.Hour)
				assert.Zero(t, log.count())
				assert.Empty(t, tm.Stop())
				assert.Equal(t, uint64(1), tm.Stats().Cancelled)
			})
		})
	}
}

func TestOneOutcomePerArmingThatIsRejected(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		first, full := owned(tm, &log), owned(tm, &log)
		first.Reset(oneTick)
		assert.False(t, full.Reset(oneTick))
		assert.Equal(t, hashedwheel.Rejected, full.State())
		assert.False(t, full.Stop(), "there is nothing to stop")
		pass(10 * oneTick)
		assert.Equal(t, 1, log.count(), "only the first ran")
		assert.Empty(t, tm.Stop())
		assert.Equal(t, uint64(1), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

// A Reset of a pending timeout moves the arming, any other begins a new one.
func TestOneOutcomePerArmingThatIsMoved(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		to := owned(tm, &log)
		assert.False(t, to.Reset(5*oneTick), "it was idle")
		assert.True(t, to.Reset(9*oneTick))
		assert.True(t, to.Reset(2*oneTick))
		pass(2 * oneTick)
		assert.False(t, to.Reset(5*oneTick), "it had expired")
		pass(20 * oneTick)
		assert.Equal(t, 2, log.count())
		to.Reset(oneTick)
		to.Stop()
		assert.False(t, to.Reset(oneTick), "it had been cancelled")
		pass(oneTick)
		assert.Equal(t, 3, log.count())
	})
}

// The books of a storm: every arming that began has one outcome.
func TestOneOutcomePerArmingUnderAStorm(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"unbounded":       {onWorker},
		"MaxPending(100)": {onWorker, hashedwheel.WithMaxPending(100)},
		"DrainLimit(3)":   {hashedwheel.WithDrainLimit(3), hashedwheel.WithWheelSize(2)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, storm, opts...)
		})
	}
}

func storm(t *testing.T, tm *hashedwheel.Timer) {
	var began, ran, cancelled atomic.Int64
	shared := make([]hashedwheel.Timeout, 150)
	for i := range shared {
		shared[i].Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { ran.Add(1) }))
	}
	var users sync.WaitGroup
	for u := range 4 {
		users.Go(func() {
			for i := range 4000 {
				to := &shared[(i*7+u*31)%len(shared)]
				switch (i*u + i/3) % 5 {
				case 0, 1, 2:
					if !to.Reset(time.Duration(i%23) * oneTick / 4) {
						began.Add(1)
					}
				case 3:
					if to.Stop() {
						cancelled.Add(1)
					}
				case 4:
					began.Add(1)
					if tm.AfterFunc(time.Duration(i%5)*oneTick, func() { ran.Add(1) }).Stop() {
						cancelled.Add(1)
					}
				}
				if i%50 == 0 {
					time.Sleep(oneTick / 2)
				}
			}
		})
	}
	users.Wait()
	left := len(tm.Stop())
	synctest.Wait()
	refused := int(tm.Stats().Rejected)
	assert.Equal(t, int(began.Load()), int(ran.Load()+cancelled.Load())+refused+left,
		"armings = ran %d + cancelled %d + refused %d + left %d", ran.Load(), cancelled.Load(), refused, left)
	assert.Equal(t, uint64(ran.Load()), tm.Stats().Expired)
	assert.Zero(t, tm.Pending())
}

// With room for one, each outcome makes room for the next, and for no more.
func TestOneOutcomePerArmingFreesItsPlaceOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to, other := owned(tm, nopTask), owned(tm, nopTask)
		for range 10 {
			to.Reset(oneTick)
			pass(oneTick) // expires
			to.Reset(time.Hour)
			to.Reset(time.Minute)
			to.Stop()
			to.Stop()
			to.Reset(time.Hour)
			require.Equal(t, hashedwheel.Pending, to.State())
			require.False(t, other.Reset(oneTick))
			require.Equal(t, hashedwheel.Rejected, other.State())
			require.Equal(t, 1, tm.Pending())
			_, err := tm.Schedule(oneTick, nopTask)
			require.ErrorIs(t, err, hashedwheel.ErrFull)
			require.True(t, to.Stop())
			require.Zero(t, tm.Pending())
		}
		assert.Equal(t, uint64(20), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

func TestOneOutcomePerArmingIsCountedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 30 {
			to := tm.AfterFunc(time.Duration(i)*oneTick, nop)
			if i >= 20 {
				to.Stop()
				to.Stop()
			}
		}
		assert.Equal(t, 20, tm.Pending())
		pass(9*oneTick + oneTick/2)
		assert.Equal(t, 10, tm.Stats().Pending)
		pass(time.Second)
		tm.Stop()
		tm.AfterFunc(oneTick, nop)
		stats := tm.Stats()
		assert.Equal(t, 0, stats.Pending)
		assert.Equal(t, uint64(20), stats.Expired)
		assert.Equal(t, uint64(10), stats.Cancelled)
		assert.Equal(t, uint64(1), stats.Rejected)
	})
}
