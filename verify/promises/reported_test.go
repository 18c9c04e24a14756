package promises

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// An executor whose Go does not return blocks the worker, or a task does.
var blocking = map[string]hashedwheel.Option{
	"an executor":        timertest.OnWorker,
	"a task with Inline": timertest.Inline,
}

// Nobody has filed a timeout that was armed after the worker was blocked.
func TestLatenessIsReportedOverdueWhileTheWorkerIsBlocked(t *testing.T) {
	const blocked = 2 * time.Second
	for name, executor := range blocking {
		for _, isBefore := range []bool{true, false} {
			t.Run(fmt.Sprintf("for %s, armed before=%v", name, isBefore), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					due := time.Now().Add(30 * timertest.Tick)
					to := timertest.Owned(tm, timertest.NopTask)
					tm.AfterFunc(10*timertest.Tick, func() { time.Sleep(blocked) })
					if isBefore {
						to.ResetAt(due)
					}
					time.Sleep(20 * timertest.Tick)
					if !isBefore {
						to.ResetAt(due)
					}
					for range 4 {
						assert.InDelta(t, max(0, time.Since(due)), tm.Stats().Overdue, float64(timertest.Tick))
						time.Sleep(blocked / 4)
					}
					timertest.Pass(10 * timertest.Tick)
					s := tm.Stats()
					assert.Equal(t, blocked-20*timertest.Tick, s.LatenessSum)
					assert.Zero(t, s.Overdue, "nothing waits anymore")
				}, executor)
			})
		}
	}
}

// Bounds are inclusive, and always the same.
func TestLatenessIsReportedInTheBucketOfItsBounds(t *testing.T) {
	buckets := hashedwheel.MustNew().Stats().Lateness
	last := len(buckets) - 1
	assert.Equal(t, time.Duration(math.MaxInt64), buckets[last].UpTo)
	lates := []time.Duration{0, 24 * time.Hour}
	for i, b := range buckets[:last] {
		assert.Equal(t, 100*time.Microsecond<<i, b.UpTo)
		lates = append(lates, b.UpTo-1, b.UpTo, b.UpTo+1)
	}
	for _, late := range lates {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			var first sync.Once
			for range 2 {
				tm.AfterFunc(timertest.Tick, func() { first.Do(func() { time.Sleep(late) }) })
			}
			timertest.Pass(25 * time.Hour)
			want := slices.Clone(buckets)
			want[0].Count++
			i := slices.IndexFunc(want, func(b hashedwheel.LatenessBucket) bool { return late <= b.UpTo })
			want[i].Count++
			assert.Equal(t, want, tm.Stats().Lateness, late)
		}, timertest.OnWorker)
	}
}

func TestStatsHasTheBoundAndWhetherTheTimerIsStopped(t *testing.T) {
	_, tm := timertest.NewManual(hashedwheel.WithMaxPending(3))
	for _, stopped := range []bool{false, true} {
		s := tm.Stats()
		assert.Equal(t, 3, s.MaxPending)
		assert.Equal(t, stopped, s.Stopped)
		tm.StopAll()
	}
}

// A worker that a waker has started may have to wait for a processor before it first reads the clock.
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

func TestPanicOfATaskGoesToTheHandler(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			var panicked *hashedwheel.Timeout
			var value any
			var stack string
			handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, recovered any) {
				panicked, value, stack = to, recovered, string(debug.Stack())
			})
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				to := tm.AfterFunc(timertest.Tick, timertest.PanicHere)
				timertest.Pass(timertest.Tick)
				assert.Same(t, to, panicked)
				assert.Equal(t, "on purpose", value)
				assert.Contains(t, stack, "timertest.PanicHere", "debug.Stack shows where it came from")
				assert.Equal(t, uint64(1), tm.Stats().Panics)
				assert.Equal(t, hashedwheel.Expired, to.State())
			}, append(opts, handler)...)
		})
	}
}
