package promises

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
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

// lateOf returns how many tasks were dispatched up to each lateness, if any.
func lateOf(s hashedwheel.Stats) map[time.Duration]uint64 {
	counts := make(map[time.Duration]uint64)
	for _, b := range s.Lateness {
		if b.Count > 0 {
			counts[b.UpTo] = b.Count
		}
	}
	return counts
}

// Twelve timeouts expire a tenth of a tick apart, the last as a whole tick begins, so that the worker has used up its
// burst, and the others, which fill several batches, wait for the next tick: the first of them is a tick late, the
// others less. The worker has rested before, so a run for a deep queue, as all are armed, makes no difference.
func TestLatenessIsReportedFromTheDeadlineOfEachTask(t *testing.T) {
	if limits.Batch < 64 {
		t.Skip("with -tags small a bucket of a few timeouts waits for the end of its tick")
	}
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const n, apart = 300, 30 * time.Microsecond
				time.Sleep(time.Second)
				for i := range time.Duration(12) {
					tm.AfterFunc(19*time.Millisecond+i*time.Millisecond, timertest.Nop)
				}
				for i := range n {
					tm.AfterFunc(time.Duration(i)*apart+1001*apart, timertest.Nop)
				}
				timertest.Pass(time.Second)
				s, sum := tm.Stats(), time.Duration(0)
				within := map[time.Duration]uint64{100 * time.Microsecond: 12} // those that are on time
				for i := range n {
					late := 40*time.Millisecond - time.Duration(i)*apart - 1001*apart
					upTo := 100 * time.Microsecond
					for upTo < late {
						upTo *= 2
					}
					within[upTo]++
					sum += late
				}
				assert.Equal(t, within, lateOf(s))
				assert.Equal(t, sum, s.LatenessSum)
				assert.EqualValues(t, 12+n, s.Expired)
			}, append(slices.Clone(opts), hashedwheel.WithTick(10*time.Millisecond))...)
		})
	}
}

// Ten tasks take 100 ms each: the last waits for the nine others, in one batch or in several ticks.
func TestLatenessIsReportedForTasksThatWaitForOthers(t *testing.T) {
	for name, executor := range blocking {
		for _, apart := range []time.Duration{0, 5 * timertest.Tick} {
			t.Run(fmt.Sprintf("for %s, %v apart", name, apart), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					const length = 100 * time.Millisecond
					sum, ran := time.Duration(0), time.Duration(0)
					for i := range time.Duration(10) {
						tm.AfterFunc(timertest.Tick+i*apart, func() {
							sum += ran*length - i*apart
							ran++
							assert.Equal(t, sum, tm.Stats().LatenessSum, "of all until now, this one included")
							if ran < 10 {
								assert.Equal(t, max(0, (ran-1)*length-ran*apart), tm.Stats().Overdue, "the next one")
							}
							time.Sleep(length)
						})
					}
					timertest.Pass(2 * time.Second)
					assert.EqualValues(t, 10, ran)
					assert.Equal(t, sum, tm.Stats().LatenessSum)
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

// Of so many timeouts at once, callers file some before the worker runs: the wheel's current tick is an hour old.
func TestLatenessIsReportedAsNoneForPastDeadlinesThatTheirCallersFiled(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		all := make([]hashedwheel.Timeout, 50_000)
		tm.AfterFunc(timertest.Tick, timertest.Nop)
		timertest.Pass(time.Hour)
		for i := range all {
			all[i].Init(tm, timertest.NopTask)
			all[i].ResetAt(time.Now().Add(-2 * time.Hour))
		}
		timertest.Pass(2 * timertest.Tick)
		assert.Equal(t, uint64(len(all)+1), tm.Stats().Expired)
		assert.LessOrEqual(t, tm.Stats().LatenessSum, time.Duration(len(all))*(timertest.Tick+1))
	}, timertest.Inline)
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
