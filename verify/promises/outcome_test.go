package promises

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
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestOneOutcomePerArmingThatExpires(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to, err := tm.Schedule(3*timertest.Tick, &log)
		require.NoError(t, err)
		assert.Equal(t, hashedwheel.Pending, to.State())
		timertest.Pass(3 * timertest.Tick)
		assert.Equal(t, hashedwheel.Expired, to.State())
		assert.False(t, to.Stop(), "too late")
		assert.Empty(t, tm.Stop(), "it is not left over")
		assert.Equal(t, hashedwheel.Expired, to.State())
		assert.Equal(t, 1, log.Count())
	})
}

func TestOneOutcomePerArmingThatIsCanceled(t *testing.T) {
	for _, after := range []time.Duration{0, timertest.Tick / 2, timertest.Tick, 50 * timertest.Tick, time.Minute} {
		t.Run(fmt.Sprintf("after %v", after), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log timertest.RunLog
				to, err := tm.Schedule(time.Hour, &log)
				require.NoError(t, err)
				timertest.Pass(after)
				assert.True(t, to.Stop())
				assert.Equal(t, hashedwheel.Canceled, to.State())
				assert.False(t, to.Stop(), "another call did that")
				timertest.Pass(2 * time.Hour)
				assert.Zero(t, log.Count())
				assert.Empty(t, tm.Stop())
				assert.Equal(t, uint64(1), tm.Stats().Canceled)
			})
		})
	}
}

func TestOneOutcomePerArmingThatIsRejected(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		first, full := timertest.Owned(tm, &log), timertest.Owned(tm, &log)
		first.Reset(timertest.Tick)
		assert.False(t, full.Reset(timertest.Tick))
		assert.Equal(t, hashedwheel.Rejected, full.State())
		assert.False(t, full.Stop(), "there is nothing to stop")
		timertest.Pass(10 * timertest.Tick)
		assert.Equal(t, 1, log.Count(), "only the first ran")
		assert.Empty(t, tm.Stop())
		assert.Equal(t, uint64(1), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

// A Reset of a pending timeout moves the arming, any other begins a new one.
func TestOneOutcomePerArmingThatIsMoved(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to := timertest.Owned(tm, &log)
		assert.False(t, to.Reset(5*timertest.Tick), "it was idle")
		assert.True(t, to.Reset(9*timertest.Tick))
		assert.True(t, to.Reset(2*timertest.Tick))
		timertest.Pass(2 * timertest.Tick)
		assert.False(t, to.Reset(5*timertest.Tick), "it had expired")
		timertest.Pass(20 * timertest.Tick)
		assert.Equal(t, 2, log.Count())
		to.Reset(timertest.Tick)
		to.Stop()
		assert.False(t, to.Reset(timertest.Tick), "it had been canceled")
		timertest.Pass(timertest.Tick)
		assert.Equal(t, 3, log.Count())
	})
}

// The books of a storm: every arming that began has one outcome.
func TestOneOutcomePerArmingUnderAStorm(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"unbounded":       {timertest.OnWorker},
		"MaxPending(100)": {timertest.OnWorker, hashedwheel.WithMaxPending(100)},
		"WheelSize(2)":    {hashedwheel.WithWheelSize(2)},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, storm, opts...)
		})
	}
}

func storm(t *testing.T, tm *hashedwheel.Timer) {
	var began, ran, canceled atomic.Int64
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
					if !to.Reset(time.Duration(i%23) * timertest.Tick / 4) {
						began.Add(1)
					}
				case 3:
					if to.Stop() {
						canceled.Add(1)
					}
				case 4:
					began.Add(1)
					if tm.AfterFunc(time.Duration(i%5)*timertest.Tick, func() { ran.Add(1) }).Stop() {
						canceled.Add(1)
					}
				}
				if i%50 == 0 {
					time.Sleep(timertest.Tick / 2)
				}
			}
		})
	}
	users.Wait()
	left := len(tm.Stop())
	synctest.Wait()
	refused := int(tm.Stats().Rejected)
	assert.Equal(t, int(began.Load()), int(ran.Load()+canceled.Load())+refused+left,
		"armings = ran %d + canceled %d + refused %d + left %d", ran.Load(), canceled.Load(), refused, left)
	assert.Equal(t, uint64(ran.Load()), tm.Stats().Expired)
	assert.Zero(t, tm.Pending())
}

// With room for one, each outcome makes room for the next, and for no more.
func TestOneOutcomePerArmingFreesItsPlaceOnce(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to, other := timertest.Owned(tm, timertest.NopTask), timertest.Owned(tm, timertest.NopTask)
		for range 10 {
			to.Reset(timertest.Tick)
			timertest.Pass(timertest.Tick) // expires
			to.Reset(time.Hour)
			to.Reset(time.Minute)
			to.Stop()
			to.Stop()
			to.Reset(time.Hour)
			require.Equal(t, hashedwheel.Pending, to.State())
			require.False(t, other.Reset(timertest.Tick))
			require.Equal(t, hashedwheel.Rejected, other.State())
			require.Equal(t, 1, tm.Pending())
			_, err := tm.Schedule(timertest.Tick, timertest.NopTask)
			require.ErrorIs(t, err, hashedwheel.ErrFull)
			require.True(t, to.Stop())
			require.Zero(t, tm.Pending())
		}
		assert.Equal(t, uint64(20), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

func TestOneOutcomePerArmingIsCountedOnce(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 30 {
			to := tm.AfterFunc(time.Duration(i)*timertest.Tick, timertest.Nop)
			if i >= 20 {
				to.Stop()
				to.Stop()
			}
		}
		assert.Equal(t, 20, tm.Pending())
		timertest.Pass(9*timertest.Tick + timertest.Tick/2)
		assert.Equal(t, 10, tm.Stats().Pending)
		timertest.Pass(time.Second)
		tm.Stop()
		tm.AfterFunc(timertest.Tick, timertest.Nop)
		stats := tm.Stats()
		assert.Equal(t, 0, stats.Pending)
		assert.Equal(t, uint64(20), stats.Expired)
		assert.Equal(t, uint64(10), stats.Canceled)
		assert.Equal(t, uint64(1), stats.Rejected)
	})
}
