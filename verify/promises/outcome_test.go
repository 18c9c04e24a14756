package promises

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// With a permit for one, each outcome returns it for the next, and for no more.
func TestOneOutcomePerArmingReturnsItsPermitOnce(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to, other := timertest.Owned(tm, timertest.NopTask), timertest.Owned(tm, timertest.NopTask)
		for range 10 {
			require.NoError(t, to.Arm(timertest.Tick))
			timertest.Pass(2 * timertest.Tick) // expires
			require.NoError(t, to.Arm(time.Hour))
			require.NoError(t, to.Arm(time.Minute))
			to.Stop()
			to.Stop()
			require.NoError(t, to.Arm(time.Hour))
			require.Equal(t, hashedwheel.Pending, to.State())
			require.ErrorIs(t, other.Arm(timertest.Tick), hashedwheel.ErrFull)
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

// Pending releases the lock after each portion of queued timeouts. A batch that ends in between must not
// leave out a timeout that was moved earlier while it was in the batch. With -tags small the two meet
// within a second or two.
func TestPendingCountsATimeoutThatIsMovedEarlierInABatch(t *testing.T) {
	const others = 32 * limits.Portion
	clock, tm := timertest.NewManual(hashedwheel.WithTick(timertest.Tick))
	defer tm.Stop()
	var all []*hashedwheel.Timeout
	for range others + 2 {
		all = append(all, tm.AfterFunc(1000*time.Hour, timertest.Nop))
	}
	twins := all[others:]

	var quit atomic.Bool
	var counters sync.WaitGroup
	for range 4 {
		counters.Go(func() {
			for !quit.Load() && assert.GreaterOrEqual(t, tm.Pending(), others+1) {
			}
		})
	}
	lasting := timertest.Lasting(5 * time.Second)
	for begun, round := time.Now(), 0; time.Since(begun) < lasting && !t.Failed(); round++ {
		// One of the two is in the batch before the task, the other after it.
		twins[0].Reset(timertest.Tick)
		tm.NextDue() // files it
		tm.AfterFunc(timertest.Tick, func() {
			moved := twins[0]
			if moved.State() != hashedwheel.Pending {
				moved = twins[1]
			}
			moved.Reset(900 * time.Hour)
			for _, to := range all[:others] {
				to.Reset(999*time.Hour - time.Duration(round)*time.Second)
			}
			moved.Reset(time.Hour)
		})
		tm.NextDue()
		twins[1].Reset(timertest.Tick)
		clock.Advance(timertest.Tick)
	}
	quit.Store(true)
	counters.Wait()
}

// Calls that stop or move timeouts behind the slow task return the truth, Pending is exact, and each permit is
// returned once. There are less than a batch, a batch, and several.
func TestOneOutcomePerArmingBehindASlowTask(t *testing.T) {
	for name, executor := range blocking {
		for _, at := range []time.Duration{0, timertest.Tick / 4, 3 * timertest.Tick} { // after the slow task has begun
			for _, n := range []int{2, 64, 1000} {
				t.Run(fmt.Sprintf("%d, %s, after %v", n, name, at), func(t *testing.T) {
					timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
						for range 2 {
							stopAndMove(t, tm, n, at)
						}
					}, executor, hashedwheel.WithMaxPending(n))
				})
			}
		}
	}
}

func stopAndMove(t *testing.T, tm *hashedwheel.Timer, n int, at time.Duration) {
	const later = 60 * timertest.Tick
	runs, want, pending := make([]timertest.RunLog, n), make([]int, n), 0
	all := make([]*hashedwheel.Timeout, n)
	var slept atomic.Bool
	for i := range all {
		var err error
		all[i], err = tm.Schedule(5*timertest.Tick, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
			runs[i].Note()
			if slept.CompareAndSwap(false, true) {
				time.Sleep(50 * timertest.Tick)
			}
		}))
		require.NoError(t, err)
	}
	_, err := tm.Schedule(0, timertest.NopTask)
	assert.ErrorIs(t, err, hashedwheel.ErrFull)
	timertest.Pass(5*timertest.Tick + at)
	moved := time.Now()
	for i, to := range all {
		want[i]++
		switch was := to.State() == hashedwheel.Pending; {
		case !was: // the slow task
			assert.False(t, to.Stop())
			assert.False(t, to.Reset(later))
			want[i]++
		case i%3 == 0:
			assert.True(t, to.Stop())
			want[i]--
		case i%3 == 1: // and back
			assert.True(t, to.Reset(time.Minute))
			assert.True(t, to.Reset(later))
		}
		if to.State() == hashedwheel.Pending {
			pending++
		}
	}
	assert.Equal(t, pending, tm.Pending())
	assert.Equal(t, pending, tm.Stats().Pending)
	timertest.Pass(100*timertest.Tick - at) // to the beginning of a tick
	for i := range runs {
		assert.Equal(t, want[i], runs[i].Count(), "runs of number %d", i)
		if want[i] == 2 || want[i] == 1 && i%3 == 1 {
			assert.False(t, runs[i].Times()[want[i]-1].Before(moved.Add(later)), "early")
		}
	}
	assert.Zero(t, tm.Pending())
}
