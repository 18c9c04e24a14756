package hashedwheel_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// The wheel has one worker all the time: fast tasks do not overlap, and the
// goroutines are those that block and the worker.
func TestHandoffLeavesOneWorker(t *testing.T) {
	for name, end := range map[string]func(){"return": func() {}, "call Goexit": runtime.Goexit, "panic": panicHere} {
		t.Run("slow tasks "+name, func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				over := make(chan struct{})
				const blocked = 10
				for range blocked {
					tm.AfterFunc(oneTick, func() {
						<-over
						end()
					})
					pass(10 * oneTick)
				}
				assert.Equal(t, uint64(blocked), tm.Stats().Handoffs)
				tm.AfterFunc(time.Hour, nop)
				for range 10 {
					assertAllInline(t, tm)
					assert.Equal(t, blocked+1, libraryGoroutines())
				}
				close(over)
				synctest.Wait()
				assert.Equal(t, 1, libraryGoroutines())
				assertAllInline(t, tm)
				assert.Equal(t, 1, libraryGoroutines())
			}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}

// The old worker has a batch of timeouts that were due. When its task returns
// they are the new worker's, though they are due again.
func TestHandoffEndsTheOldWorkerWithItsTask(t *testing.T) {
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var others punctuality
		all := siblings(tm, 64, 5*oneTick, func() { time.Sleep(10*oneTick + oneTick/2) }, others.since(time.Now()))
		pass(15*oneTick + oneTick/4)
		assert.Equal(t, 63, others.count())
		for _, to := range all {
			to.Reset(-time.Hour)
		}
		assert.Equal(t, 64, tm.Pending(), "drained")
		pass(oneTick / 2)
		assert.Equal(t, 63, others.count(), "the slow task has returned, in the middle of a tick")
		pass(oneTick)
		assert.Equal(t, 63+64, others.count())
	})
}

// A task that arms itself, and a series, never overlap themselves.
func TestHandoffOfASeriesSkipsRunsButNeverOverlaps(t *testing.T) {
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var on, overlaps, runs atomic.Int32
		series := tm.Every(oneTick, func() {
			runs.Add(1)
			overlaps.Add(on.Add(1) - 1)
			time.Sleep(9*oneTick + oneTick/2)
			on.Add(-1)
		})
		pass(100*oneTick + oneTick/4)
		assert.Equal(t, 1, tm.Pending(), "while it runs too")
		assert.True(t, series.Stop())
		ran := runs.Load()
		assert.InDelta(t, 10, ran, 1)
		pass(100 * oneTick)
		assert.Equal(t, ran, runs.Load())
		assert.Zero(t, overlaps.Load())
		assert.Zero(t, tm.Pending())
	})
}

// A place under the limit is given back once, by whichever worker settles it.
func TestHandoffKeepsTheCountUnderMaxPending(t *testing.T) {
	const limit = 200
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 5 {
			all := siblings(tm, limit, 5*oneTick, func() { time.Sleep(10 * oneTick) }, nop)
			assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(0, nop).State(), "full")
			pass(6 * oneTick)
			for _, to := range all[:limit/2] {
				to.Stop()
			}
			pass(100 * oneTick)
			assert.Zero(t, tm.Pending())
		}
		siblings(tm, limit, oneTick, nop, nop)
		assert.Equal(t, limit, tm.Pending())
	}, hashedwheel.WithMaxPending(limit))
}

// A channel of After is closed by a worker, and a slow task may wait for it.
func TestHandoffServesATaskThatWaitsForTheTimer(t *testing.T) {
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var waited time.Duration
		tm.AfterFunc(5*oneTick, func() {
			start := time.Now()
			<-tm.After(10 * oneTick)
			waited = time.Since(start)
		})
		pass(100 * oneTick)
		assert.Equal(t, 10*oneTick, waited)
	})
}

// Other executors hand nothing on: strict order is theirs to keep.
func TestHandoffIsForInlineAlone(t *testing.T) {
	for name, opt := range map[string]hashedwheel.Option{
		"a strict ExecutorFunc": onWorker,
		"goroutines":            hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { go f() })),
		"the default":           hashedwheel.WithDrainLimit(100_000),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				siblings(tm, 100, 5*oneTick, func() { time.Sleep(50 * oneTick) }, nop)
				pass(100 * oneTick)
				assert.Zero(t, tm.Stats().Handoffs)
				assert.Equal(t, uint64(100), tm.Stats().Expired)
			}, opt)
		})
	}
}

func TestHandoffIsNotDoneByAStrictExecutorFunc(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		on, most := 0, 0 // no lock: they run one after another
		for range 20 {
			tm.AfterFunc(5*oneTick, func() {
				on++
				most = max(most, on)
				time.Sleep(5 * oneTick)
				on--
			})
		}
		pass(200 * oneTick)
		assert.Equal(t, 1, most)
		assert.Equal(t, uint64(20), tm.Stats().Expired)
	}, onWorker)
}

// A pointer to an Inline is one, too.
func TestHandoffIsForAPointerToInline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(oneTick, func() { time.Sleep(10 * oneTick) })
		pass(20 * oneTick)
		assert.Equal(t, uint64(1), tm.Stats().Handoffs)
	}, hashedwheel.WithExecutor(new(hashedwheel.Inline)))
}

// Advance runs every task before it returns, slow or not.
func TestHandoffIsNotDoneByAdvance(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Now())
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		on, most, ran := 0, 0, 0 // no lock: they run one after another
		for range 20 {
			tm.AfterFunc(5*oneTick, func() {
				on++
				most = max(most, on)
				time.Sleep(5 * oneTick)
				on--
				ran++
			})
		}
		start := time.Now()
		clock.Advance(5 * oneTick)
		assert.Equal(t, 20, ran)
		assert.Equal(t, 1, most)
		assert.Equal(t, 100*oneTick, time.Since(start))
		assert.Zero(t, tm.Stats().Handoffs)
		assert.Zero(t, libraryGoroutines())
	}, inlined, hashedwheel.WithClock(clock))
}

// A slow task that never returns keeps what was behind it no longer than any
// other does.
func TestHandoffLeavesSiblingsToTheCollector(t *testing.T) {
	for name, end := range map[string]func(*hashedwheel.Timeout){
		"stopped": func(to *hashedwheel.Timeout) { pass(6 * oneTick); to.Stop() },
		"expired": func(*hashedwheel.Timeout) {},
	} {
		t.Run(name, func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(time.Hour, nop)
				over := make(chan struct{})
				defer close(over)
				h := holding(tm, 5*oneTick, func(to *hashedwheel.Timeout) {
					tm.AfterFunc(5*oneTick, func() { <-over }) // the last armed is the first to run
					end(to)
				})
				pass(20 * oneTick)
				require.Equal(t, uint64(1), tm.Stats().Handoffs)
				runtime.GC()
				assert.True(t, h.payload.Value() == nil, "what its task holds is kept")
				assert.True(t, h.timeout.Value() == nil, "the timeout is kept")
			})
		})
	}
}

// A task that blocks holds up nobody else: the wheel goes on without it.
func ExampleInline_slow() {
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}), hashedwheel.WithTick(time.Millisecond))

	slow, punctual := make(chan struct{}), make(chan struct{})
	tm.AfterFunc(time.Millisecond, func() {
		<-punctual // an answer that is long in coming
		fmt.Println("the slow task is done")
		close(slow)
	})
	beats := 0
	tm.Every(10*time.Millisecond, func() {
		if beats++; beats <= 3 {
			fmt.Println("punctual task", beats)
		}
		if beats == 3 {
			close(punctual)
		}
	})
	<-slow
	_, _ = tm.Shutdown(context.Background())
	fmt.Println("handed on:", tm.Stats().Handoffs > 0)
	// Output:
	// punctual task 1
	// punctual task 2
	// punctual task 3
	// the slow task is done
	// handed on: true
}
