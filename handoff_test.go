package hashedwheel_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// What Inline promises about a task that does not return: the wheel is handed
// on after one tick, and all that the package documentation promises holds
// across that. In virtual time, where a slow task is one that sleeps.

// inlined runs tasks on the worker, which hands the wheel on.
var inlined = hashedwheel.WithExecutor(hashedwheel.Inline{})

// inlineBubble is inBubble with an inline timer, of which nothing may be left
// once it has been shut down.
func inlineBubble(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer), opts ...hashedwheel.Option) {
	t.Helper()
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		f(t, tm)
		_, err := tm.Shutdown(t.Context())
		assert.NoError(t, err)
		synctest.Wait()
		assert.Zero(t, libraryGoroutines(), "left behind")
	}, append([]hashedwheel.Option{inlined}, opts...)...)
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

// punctuality is the greatest lateness of the tasks that report to it.
type punctuality struct {
	mu   sync.Mutex
	ran  int
	late time.Duration
}

// since returns a task that is due at a time.
func (p *punctuality) since(due time.Time) func() {
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ran++
		p.late = max(p.late, time.Since(due))
	}
}

func (p *punctuality) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ran
}

func (p *punctuality) assert(t *testing.T, ran int, late time.Duration) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Equal(t, ran, p.ran, "ran")
	assert.LessOrEqual(t, p.late, late, "late")
}

// slowKinds are the ways in which a task does not return. Each is told when its
// siblings have run, and when the test ends.
var slowKinds = map[string]func(siblingsRan, over <-chan struct{}){
	"sleeps":                          func(_, _ <-chan struct{}) { time.Sleep(50 * oneTick) },
	"waits for a task of its tick":    func(ran, _ <-chan struct{}) { <-ran },
	"never returns":                   func(_, over <-chan struct{}) { <-over },
	"sleeps, then calls Goexit":       func(_, _ <-chan struct{}) { time.Sleep(50 * oneTick); runtime.Goexit() },
	"calls Goexit, then sleeps":       func(_, _ <-chan struct{}) { defer time.Sleep(50 * oneTick); runtime.Goexit() },
	"sleeps, then panics":             func(_, _ <-chan struct{}) { time.Sleep(50 * oneTick); panicHere() },
	"panics, and its handler sleeps":  func(_, _ <-chan struct{}) { panicHere() },
	"sleeps for two ticks, no longer": func(_, _ <-chan struct{}) { time.Sleep(2 * oneTick) },
}

var slowPanicHandler = hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) { time.Sleep(50 * oneTick) })

// Its siblings are in its batch, on the due list behind it or, at 1000, in
// several batches; the others are due while it blocks.
func TestHandoffDelaysOthersByTwoTicksAtMost(t *testing.T) {
	for kind, slow := range slowKinds {
		for _, n := range []int{2, 64, 65, 1000} {
			t.Run(fmt.Sprintf("%s, %d of one tick", kind, n), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					assertOthersPunctual(t, tm, n, slow)
				}, slowPanicHandler)
			})
		}
	}
}

func assertOthersPunctual(t *testing.T, tm *hashedwheel.Timer, n int, slow func(ran, over <-chan struct{})) {
	const ticks = 20
	var others punctuality
	var ran sync.Once
	siblingRan, over := make(chan struct{}), make(chan struct{})
	note := others.since(time.Now().Add(5 * oneTick))
	siblings(tm, n, 5*oneTick, func() { slow(siblingRan, over) }, func() {
		note()
		ran.Do(func() { close(siblingRan) })
	})
	for i := range ticks {
		d := time.Duration(5+i) * oneTick
		tm.AfterFunc(d, others.since(time.Now().Add(d)))
	}
	pass(40 * oneTick)
	others.assert(t, n-1+ticks, 2*oneTick)
	assert.NotZero(t, tm.Stats().Handoffs)
	assert.Equal(t, uint64(n+ticks), tm.Stats().Expired)
	assert.Zero(t, tm.Pending())
	close(over)
	pass(100 * oneTick)
	assert.Zero(t, libraryGoroutines(), "the old worker has ended")
}

// Fast tasks of its tick come first, so the slow one begins at any point between
// two looks of the watch.
func TestHandoffComesOneToOneAndAHalfTicksAfterTheTaskBegan(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, time.Millisecond, time.Second, time.Hour} {
		forEveryTenth(t, tick, assertHandoffInTime)
	}
}

// Half of it is not a whole number.
func TestHandoffComesInTimeAtATickOfOddNanoseconds(t *testing.T) {
	for _, tick := range []time.Duration{time.Millisecond + 1, time.Second / 3} {
		forEveryTenth(t, tick, assertHandoffInTime)
	}
}

func forEveryTenth(t *testing.T, tick time.Duration, f func(t *testing.T, tm *hashedwheel.Timer, tick, begun time.Duration)) {
	for tenths := range 10 {
		t.Run(fmt.Sprintf("tick %v, begun %d/10 into it", tick, tenths), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				f(t, tm, tick, time.Duration(tenths)*tick/10)
			}, hashedwheel.WithTick(tick))
		})
	}
}

func assertHandoffInTime(t *testing.T, tm *hashedwheel.Timer, tick, begun time.Duration) {
	began, went := beginWithin(tm, tick, begun)
	pass(30 * tick)
	assert.GreaterOrEqual(t, went.Sub(*began), tick)
	assert.LessOrEqual(t, went.Sub(*began), tick+tick/2+2) // ns that halves may be rounded by
	assert.Equal(t, uint64(1), tm.Stats().Handoffs)
}

// beginWithin arms three timeouts of one tick: a fast one that takes d, a slow
// one, and one behind it. It returns when the second began and the third did.
func beginWithin(tm *hashedwheel.Timer, tick, d time.Duration) (began, went *time.Time) {
	var turn atomic.Int32
	began, went = new(time.Time), new(time.Time)
	for range 3 {
		tm.AfterFunc(3*tick, func() {
			switch turn.Add(1) {
			case 1:
				time.Sleep(d)
			case 2:
				*began = time.Now()
				time.Sleep(10 * tick)
			case 3:
				*went = time.Now()
			}
		})
	}
	return began, went
}

// Progress counts, not how long a batch takes as a whole.
func TestHandoffIsNotForTasksThatReturnWithinATick(t *testing.T) {
	for _, n := range []int{1, 64, 100} {
		t.Run(fmt.Sprintf("%d of 0.9 ticks", n), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				took := time.Duration(n) * 9 * oneTick / 10
				var on, most atomic.Int32
				for range n {
					tm.AfterFunc(5*oneTick, func() {
						most.Store(max(most.Load(), on.Add(1)))
						time.Sleep(9 * oneTick / 10)
						on.Add(-1)
					})
				}
				pass(5*oneTick + took - 1)
				assert.Equal(t, int32(1), on.Load(), "the last one is on")
				pass(1)
				assert.Zero(t, on.Load())
				assert.Equal(t, int32(1), most.Load(), "at a time")
				assert.Zero(t, tm.Stats().Handoffs)
			})
		})
	}
}

// From one and a half ticks on it is certain.
func TestHandoffIsForEveryTaskThatTakesOneAndAHalfTicks(t *testing.T) {
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 100 {
			tm.AfterFunc(oneTick, func() { time.Sleep(3*oneTick/2 + 1) })
			pass(time.Duration(10+i%7)*oneTick + time.Duration(i)*oneTick/100)
			require.Equal(t, uint64(i+1), tm.Stats().Handoffs)
		}
	})
}

// Somebody else arms the slow task's own Timeout while it blocks: before the
// wheel is handed on it is in the batch, after that it is not.
func TestHandoffRunsTheSlowTimeoutAgain(t *testing.T) {
	for _, at := range []time.Duration{0, oneTick / 4, oneTick, 5 * oneTick / 4, 3 * oneTick / 2, 2 * oneTick, 10 * oneTick} {
		for _, d := range []time.Duration{-time.Hour, 0, oneTick, 5 * oneTick, 15 * oneTick, 100 * oneTick} {
			t.Run(fmt.Sprintf("reset by %v after %v", d, at), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { assertRunsAgain(t, tm, at, d) })
			})
		}
	}
}

func assertRunsAgain(t *testing.T, tm *hashedwheel.Timer, at, d time.Duration) {
	var log runLog
	slow := owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
		log.Run(to)
		time.Sleep(50 * oneTick)
	}))
	slow.Reset(5 * oneTick)
	pass(5*oneTick + at)
	require.Equal(t, 1, log.count())
	due := time.Now().Add(max(0, d))
	require.False(t, slow.Reset(d), "it has expired")
	assert.Equal(t, 1, tm.Pending())
	pass(200 * oneTick)
	require.Equal(t, 2, log.count(), "one run for each arming")
	assert.GreaterOrEqual(t, log.times()[1].Sub(due), time.Duration(0), "early")
	assert.LessOrEqual(t, log.times()[1].Sub(due), 2*oneTick, "late")
	assert.Zero(t, tm.Pending())
}

// Whoever stops or moves what is behind the slow task is told the truth, at any
// moment of the hand-over.
func TestHandoffLeavesSiblingsToWhoStopsOrMovesThem(t *testing.T) {
	for quarters := range 13 {
		for _, n := range []int{3, 64, 200} {
			at := time.Duration(quarters) * oneTick / 4
			t.Run(fmt.Sprintf("after %v, %d of one tick", at, n), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { stopAndMove(t, tm, n, at) })
			})
		}
	}
}

func stopAndMove(t *testing.T, tm *hashedwheel.Timer, n int, at time.Duration) {
	runs := make([]atomic.Int32, n)
	all := make([]*hashedwheel.Timeout, n)
	var blocked atomic.Bool
	for i := range all {
		all[i] = tm.AfterFunc(5*oneTick, func() {
			runs[i].Add(1)
			if blocked.CompareAndSwap(false, true) {
				time.Sleep(50 * oneTick)
			}
		})
	}
	pass(5*oneTick + at)
	want := make([]int32, n)
	for i, to := range all {
		was := to.State() == hashedwheel.Pending
		want[i] = 1
		switch i % 3 {
		case 0:
			require.Equal(t, was, to.Stop())
			if was {
				want[i] = 0
			}
		case 1:
			require.Equal(t, was, to.Reset(10*oneTick))
			if !was {
				want[i] = 2
			}
		}
	}
	pass(100 * oneTick)
	for i := range runs {
		assert.Equal(t, want[i], runs[i].Load(), "runs of number %d", i)
	}
	assert.Zero(t, tm.Pending())
}

// A sibling that the new worker is to run is moved later and then back, so it
// is queued and filed again at every stage.
func TestHandoffKeepsDeadlinesOfSiblingsThatAreMoved(t *testing.T) {
	for quarters := range 13 {
		at := time.Duration(quarters) * oneTick / 4
		t.Run(fmt.Sprintf("after %v", at), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var others punctuality
				all := siblings(tm, 100, 5*oneTick, func() { time.Sleep(50 * oneTick) }, others.since(time.Now()))
				pass(5*oneTick + at)
				for _, to := range all {
					to.Reset(time.Minute)
					to.Reset(20 * oneTick)
				}
				ran := others.count()
				assert.Equal(t, 100, tm.Pending(), "the slow one, too")
				pass(20*oneTick - 1)
				assert.Equal(t, ran, others.count(), "early")
				pass(3 * oneTick)
				assert.Equal(t, ran+100, others.count())
			})
		})
	}
}

// customClock has the methods of a ManualClock, but is served by a worker.
type customClock struct{ *hashedwheel.ManualClock }

// The watch is on package time: a task may block while the timer's clock stands
// still, and wait for another of its tick.
func TestHandoffThoughTheClockStandsStill(t *testing.T) {
	for _, n := range []int{2, 64, 65, 1000} {
		t.Run(fmt.Sprintf("%d of one tick", n), func(t *testing.T) {
			clock := customClock{hashedwheel.NewManualClock(time.Now())}
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var others punctuality
				over := make(chan struct{})
				defer close(over)
				siblings(tm, n, 5*oneTick, func() { <-over }, others.since(time.Now()))
				synctest.Wait()
				clock.Advance(5 * oneTick)
				pass(2 * oneTick)
				assert.Equal(t, uint64(1), tm.Stats().Handoffs)
				others.assert(t, n-1, 2*oneTick)
			}, hashedwheel.WithClock(clock))
		})
	}
}
