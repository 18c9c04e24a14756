package promises

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The promises hold while a task keeps the worker in the middle of a tick.

// strict are the executors that run tasks on the worker.
var strict = map[string]hashedwheel.Option{
	"Inline":                timertest.Inline,
	"one of the user's own": timertest.OnWorker,
}

// besideASlowTask runs f for each strict executor and many moments after a slow task
// has begun. f arms; at is the moment.
func besideASlowTask(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, at time.Duration), opts ...hashedwheel.Option) {
	for name, executor := range strict {
		for quarters := range 13 {
			at := time.Duration(quarters) * timertest.Tick / 4
			t.Run(fmt.Sprintf("%s, after %v", name, at), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, at) }, append(opts, executor)...)
			})
		}
	}
}

// siblings arms n timeouts that are due in the same tick. The first to run
// calls slow, all others call quick.
func siblings(tm *hashedwheel.Timer, n int, d time.Duration, slow, quick func()) []*hashedwheel.Timeout {
	all := make([]*hashedwheel.Timeout, n)
	var first atomic.Bool
	for i := range all {
		all[i] = tm.AfterFunc(d, func() {
			if first.CompareAndSwap(false, true) {
				slow()
			} else {
				quick()
			}
		})
	}
	return all
}

// siblingCounts are less than a batch, a batch, and several.
var siblingCounts = []int{2, 64, 1000}

func TestNothingIsLostAtStopFromASlowTask(t *testing.T) {
	for _, n := range siblingCounts {
		besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) {
			var left []*hashedwheel.Timeout
			var ran, lateRuns, stopped atomic.Int64
			siblings(tm, n, 5*timertest.Tick, func() {
				ran.Add(1)
				time.Sleep(at)
				left = tm.Stop()
				time.Sleep(20 * timertest.Tick)
				stopped.Store(1)
			}, func() {
				ran.Add(1)
				lateRuns.Add(stopped.Load())
			})
			timertest.Pass(100 * timertest.Tick)
			assertStopToldTheTruth(t, tm, n, left, ran.Load(), lateRuns.Load())
		})
	}
}

func TestNothingIsLostAtStopDuringASlowTask(t *testing.T) {
	for _, n := range siblingCounts {
		besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) {
			var ran, lateRuns, stopped atomic.Int64
			siblings(tm, n, 5*timertest.Tick, func() {
				ran.Add(1)
				time.Sleep(50 * timertest.Tick)
			}, func() {
				ran.Add(1)
				lateRuns.Add(stopped.Load())
			})
			timertest.Pass(5*timertest.Tick + at)
			left := tm.Stop()
			stopped.Store(1)
			timertest.Pass(100 * timertest.Tick)
			assertStopToldTheTruth(t, tm, n, left, ran.Load(), lateRuns.Load())
		})
	}
}

func assertStopToldTheTruth(t *testing.T, tm *hashedwheel.Timer, armed int, left []*hashedwheel.Timeout, ran, lateRuns int64) {
	t.Helper()
	assert.Zero(t, lateRuns, "ran after Stop had returned")
	assert.Equal(t, armed, int(ran)+len(left), "each ran or was left")
	for _, to := range left {
		assert.Equal(t, hashedwheel.Canceled, to.State())
	}
	assert.Zero(t, tm.Pending())
	assert.Equal(t, uint64(ran), tm.Stats().Expired)
	assert.Zero(t, timertest.LibraryGoroutines())
}

func TestShutdownWaitsForASlowTaskHoweverItEnds(t *testing.T) {
	for _, end := range []func(){func() {}, runtime.Goexit, timertest.PanicHere} {
		besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) {
			var returned atomic.Bool
			siblings(tm, 100, 5*timertest.Tick, func() {
				time.Sleep(50 * timertest.Tick)
				returned.Store(true)
				end()
			}, timertest.Nop)
			timertest.Pass(5*timertest.Tick + at)
			_, err := tm.Shutdown(t.Context())
			require.NoError(t, err)
			assert.True(t, returned.Load())
		}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
	}
}

func TestOneOutcomePerArmingOfASlowTaskThatIsArmedAgain(t *testing.T) {
	for _, d := range []time.Duration{-time.Hour, 0, timertest.Tick, 5 * timertest.Tick, 100 * timertest.Tick} {
		besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) {
			var log timertest.RunLog
			slow := timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				log.Run(to)
				time.Sleep(50 * timertest.Tick)
			}))
			slow.Reset(5 * timertest.Tick)
			timertest.Pass(5*timertest.Tick + at)
			require.Equal(t, 1, log.Count())
			due := time.Now().Add(max(0, d))
			require.False(t, slow.Reset(d), "it has expired")
			assert.Equal(t, 1, tm.Pending())
			timertest.Pass(200 * timertest.Tick)
			require.Equal(t, 2, log.Count(), "one run for each arming")
			assert.False(t, log.Times()[1].Before(due), "early")
			assert.Zero(t, tm.Pending())
		})
	}
}

// Calls that stop or move timeouts behind the slow task return the truth.
func TestOneOutcomePerArmingBehindASlowTask(t *testing.T) {
	for _, n := range siblingCounts {
		besideASlowTask(t, func(t *testing.T, tm *hashedwheel.Timer, at time.Duration) { stopAndMove(t, tm, n, at) })
	}
}

func stopAndMove(t *testing.T, tm *hashedwheel.Timer, n int, at time.Duration) {
	runs, want := make([]atomic.Int32, n), make([]int32, n)
	all := make([]*hashedwheel.Timeout, n)
	var slept atomic.Bool
	for i := range all {
		all[i] = tm.AfterFunc(5*timertest.Tick, func() {
			runs[i].Add(1)
			if slept.CompareAndSwap(false, true) {
				time.Sleep(50 * timertest.Tick)
			}
		})
	}
	timertest.Pass(5*timertest.Tick + at)
	for i, to := range all {
		was := to.State() == hashedwheel.Pending
		want[i] = 1
		if i%3 == 0 {
			require.Equal(t, was, to.Stop())
			if was {
				want[i] = 0
			}
		} else if i%3 == 1 {
			require.Equal(t, was, to.Reset(10*timertest.Tick))
			if !was {
				want[i] = 2
			}
		}
	}
	timertest.Pass(100 * timertest.Tick)
	for i := range runs {
		assert.Equal(t, want[i], runs[i].Load(), "runs of number %d", i)
	}
	assert.Zero(t, tm.Pending())
}
