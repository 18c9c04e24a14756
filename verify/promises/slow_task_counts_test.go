package promises

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Moved later and then back, it is queued and filed again at every stage.
func TestNeverEarlyWhenMovedDuringASlowTask(t *testing.T) {
	besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) {
		var quick atomic.Int64
		all := siblings(tm, 100, 5*timertest.Tick, func() { time.Sleep(22 * timertest.Tick) }, func() { quick.Add(1) })
		timertest.Pass(5*timertest.Tick + at)
		for _, to := range all {
			to.Reset(time.Minute)
			to.Reset(40 * timertest.Tick)
		}
		ran := quick.Load()
		assert.Equal(t, 100, tm.Pending(), "the slow one, too")
		timertest.Pass(40*timertest.Tick - 1)
		assert.Equal(t, ran, quick.Load(), "early")
		timertest.Pass(3 * timertest.Tick)
		assert.Equal(t, ran+100, quick.Load())
	})
}

// Pending drains in the worker's place, and is exact at every stage.
func TestPendingIsExactDuringASlowTask(t *testing.T) {
	for name, executor := range strict {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var ran atomic.Int64
				count := func() { ran.Add(1) }
				siblings(tm, 200, 5*timertest.Tick, func() {
					count()
					time.Sleep(10 * timertest.Tick)
				}, count)
				timertest.Pass(5 * timertest.Tick)
				for i := range 100 {
					assert.Equal(t, 200+i-int(ran.Load()), tm.Pending())
					tm.AfterFunc(50*timertest.Tick, count)
					assert.Equal(t, tm.Pending(), tm.Stats().Pending)
					timertest.Pass(timertest.Tick / 4)
				}
				assert.Equal(t, int64(200), ran.Load())
				timertest.Pass(100 * timertest.Tick)
				assert.Equal(t, int64(300), ran.Load())
			}, executor)
		})
	}
}

// A place under the limit is given back once.
func TestMaxPendingHoldsDuringASlowTask(t *testing.T) {
	const limit = 200
	besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) {
		for range 3 {
			all := siblings(tm, limit, 5*timertest.Tick, func() { time.Sleep(10 * timertest.Tick) }, timertest.Nop)
			assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(0, timertest.Nop).State(), "full")
			timertest.Pass(5*timertest.Tick + at)
			for _, to := range all[:limit/2] {
				to.Stop()
			}
			timertest.Pass(100 * timertest.Tick)
			assert.Zero(t, tm.Pending())
		}
		siblings(tm, limit, timertest.Tick, timertest.Nop, timertest.Nop)
		assert.Equal(t, limit, tm.Pending())
	}, hashedwheel.WithMaxPending(limit))
}

// One at a time: the last of 20 waits for all the others.
func TestTasksOnTheWorkerRunOneAfterAnother(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		on, most := 0, 0 // no lock: they run one after another
		for range 20 {
			tm.AfterFunc(5*timertest.Tick, func() {
				on++
				most = max(most, on)
				time.Sleep(5 * timertest.Tick)
				on--
			})
		}
		timertest.Pass(200 * timertest.Tick)
		assert.Equal(t, 1, most)
		assert.Equal(t, uint64(20), tm.Stats().Expired)
	}, timertest.OnWorker)
}

// Advance runs every task before it returns, slow or not.
func TestManualClockWaitsForSlowTasksOneAfterAnother(t *testing.T) {
	for name, executor := range strict {
		t.Run(name, func(t *testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				on, most, ran := 0, 0, 0 // no lock: they run one after another
				for range 20 {
					tm.AfterFunc(5*timertest.Tick, func() {
						on++
						most = max(most, on)
						time.Sleep(5 * timertest.Tick)
						on--
						ran++
					})
				}
				start := time.Now()
				clock.Advance(5 * timertest.Tick)
				assert.Equal(t, 20, ran)
				assert.Equal(t, 1, most)
				assert.Equal(t, 100*timertest.Tick, time.Since(start))
				assert.Zero(t, timertest.LibraryGoroutines())
			}, executor, hashedwheel.WithClock(clock))
		})
	}
}
