package hashedwheel_test

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const tick = timertest.Tick

// anyExecutor has executors of all kinds, including one that runs nothing.
var anyExecutor = map[string][]hashedwheel.Option{
	"goroutines":           nil,
	"Inline":               {timertest.Inline},
	"the worker":           {timertest.OnWorker},
	"a pool that is stuck": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))},
}

// onAnyExecutor is timertest.InBubble on every executor.
func onAnyExecutor(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	for name, opts := range anyExecutor {
		t.Run(name, func(t *testing.T) { timertest.InBubble(t, f, opts...) })
	}
}

func TestAfterOutOfReachIsNever(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		never := tm.After(math.MaxInt64)
		timertest.Pass(365 * 24 * time.Hour)
		assert.Equal(t, never, tm.After(math.MaxInt64-1), "never is a tick like any other")
		assert.Equal(t, never, tm.After(20*365*24*time.Hour))
		assert.False(t, timertest.IsClosed(never))
		assert.Equal(t, 1, tm.Pending())
		assert.Zero(t, timertest.LibraryGoroutines(), "nothing to do")
		tm.StopAll()
		timertest.Pass(100 * 365 * 24 * time.Hour)
		assert.False(t, timertest.IsClosed(never))
	})
}

func TestAfterIsSharedByAllCallersOfATick(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 4)
		c := tm.After(10 * tick) // rounds up to tick 11
		assert.Equal(t, c, tm.After(10*tick+tick*3/4), "the last of the tick")
		assert.Equal(t, c, tm.After(9*tick+tick*3/4+1), "the first of the tick")
		assert.NotEqual(t, c, tm.After(10*tick+tick*3/4+1), "of the next")
		assert.NotEqual(t, c, tm.After(9*tick+tick*3/4), "of the one before")
		time.Sleep(tick / 2)
		assert.Equal(t, c, tm.After(10*tick), "later, and still the same tick")
		time.Sleep(5 * tick)
		assert.Equal(t, c, tm.After(5*tick))
		assert.Equal(t, 3, tm.Pending(), "one a tick")
		timertest.Pass(time.Second)
		assert.True(t, timertest.IsClosed(c))
		assert.Zero(t, tm.Pending())
	})
}

// The clock stands still, so all goroutines of a round call After for the same tick.
func TestAfterGivesConcurrentFirstCallersTheSameChannel(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.StopAll()
	const callers = 8
	for round := range 2000 {
		var got [callers]<-chan struct{}
		var start, done sync.WaitGroup
		start.Add(1)
		for i := range callers {
			done.Go(func() {
				start.Wait()
				got[i] = tm.After(time.Duration(round+1) * time.Second)
			})
		}
		start.Done()
		done.Wait()
		for _, c := range got {
			require.Equal(t, got[0], c)
		}
		require.Equal(t, round+1, tm.Pending())
	}
	clock.Advance(time.Hour)
	assert.Zero(t, tm.Pending())
}

func TestAfterAllocatesOnlyForTheFirstCaller(t *testing.T) {
	tm := timertest.NewResting(t)
	bounded := timertest.NewResting(t, hashedwheel.WithMaxPending(1))
	delays := []time.Duration{0, time.Hour, 5 * time.Hour, 69 * time.Hour, math.MaxInt64}
	for name, call := range map[string]func(){
		"one delay": func() { tm.After(5 * time.Hour) },
		"many delays": func() {
			for _, d := range delays {
				tm.After(d)
			}
		},
		"a full timer": func() { bounded.After(5 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			call()
			assert.Zero(t, testing.AllocsPerRun(10_000, call))
		})
	}
}

// With Inline the worker closes the channel, and with any other executor a separate goroutine, so that a crowd does not
// hold up the worker. On one thread that goroutine does not run until this one blocks: after Advance the channel is
// still open, at least in one of a hundred tries.
func TestAfterIsClosedByTheWorkerWithInlineOtherwiseByAGoroutine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, opts := range anyExecutor {
		t.Run(name, func(t *testing.T) {
			open := 0
			for range 100 {
				clock := hashedwheel.NewManualClock(timertest.Epoch)
				tm := timertest.New(append(opts, hashedwheel.WithClock(clock))...)
				c := tm.After(tick)
				clock.Advance(tick)
				if !timertest.IsClosed(c) {
					open++
				}
				timertest.Shutdown(t, tm)
				require.True(t, timertest.IsClosed(c), "Shutdown waits for the goroutine")
			}
			isInline := name == "Inline" || opts == nil // the default on a ManualClock
			assert.Equal(t, !isInline, open > 0, "open in %d of 100 tries", open)
		})
	}
}

func TestAfterIsClosedAtItsTimeThoughTheTimerIsStopped(t *testing.T) {
	onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 3)
		var waiters sync.WaitGroup
		for range 2 {
			for _, d := range []time.Duration{6 * tick, 10*tick + 1, 74 * tick, time.Hour, 8 * 365 * 24 * time.Hour} {
				deadline := time.Now().Add(d)
				c := tm.After(d)
				waiters.Go(func() {
					<-c
					assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick), "After(%v)", d)
				})
			}
			timertest.Pass(5*tick + tick/2) // by then the first are filed, and the second still queued
		}
		assert.Empty(t, tm.StopAll(), "After's timeouts belong to no caller")
		assert.Zero(t, tm.Pending())
		synctest.Wait()
		assert.Zero(t, timertest.LibraryGoroutines(), "nothing waits but the time package")
		waiters.Wait()
	})
}

// The time of the bubble is not the Timer's: nothing in the bubble can wait for the rest.
func TestAfterIsClosedByStopInAnotherBubble(t *testing.T) {
	tm := timertest.New()
	c := tm.After(time.Hour)
	synctest.Test(t, func(t *testing.T) {
		assert.Empty(t, tm.StopAll())
		assert.True(t, timertest.IsClosed(c))
	})
}

// A loop around After neither hangs nor spins once its timer is stopped.
func TestAfterOfAStoppedTimerWaitsInTheTimePackage(t *testing.T) {
	stopped := map[string]func(opts ...hashedwheel.Option) *hashedwheel.Timer{
		"system": timertest.New,
		"a clock that stands still": func(opts ...hashedwheel.Option) *hashedwheel.Timer {
			_, tm := timertest.NewManual(opts...)
			return tm
		},
	}
	for name, newTimer := range stopped {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := newTimer(hashedwheel.WithMaxPending(1))
				tm.StopAll()
				never := tm.After(math.MaxInt64)
				for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, tick, 10*tick + 1, time.Hour} {
					start := time.Now()
					<-tm.After(d)
					assert.Equal(t, max(0, d), time.Since(start))
				}
				assert.False(t, timertest.IsClosed(never))
				assert.Zero(t, timertest.LibraryGoroutines(), "nothing waits but the time package")
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// Every channel that a caller received is closed at its time, even one that the stopped timer refused.
func TestStopRacesWithAfter(t *testing.T) {
	for begun := time.Now(); time.Since(begun) < timertest.Lasting(time.Second) && !t.Failed(); {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			const callers = 4
			got, over := make([][]<-chan struct{}, callers), make(chan struct{})
			var ready, calling, stopping sync.WaitGroup
			delay := func(caller, i int) time.Duration { // two callers share a tick, the others take another each time
				return time.Duration(1+caller%2*i) * tick
			}
			for caller := range got {
				ready.Add(1)
				calling.Go(func() {
					ready.Done()
					for i := 0; i < 500 && !timertest.IsClosed(over); i++ {
						got[caller] = append(got[caller], tm.After(delay(caller, i)))
						runtime.Gosched()
					}
				})
			}
			ready.Wait()
			start := time.Now()
			for range 2 {
				stopping.Go(func() { tm.StopAll() })
			}
			stopping.Wait()
			close(over)
			calling.Wait()
			require.Equal(t, start, time.Now(), "the bubble's time stands still")
			for i := range max(len(got[1]), len(got[3])) {
				for caller := range callers {
					if i < len(got[caller]) {
						require.False(t, caller%2 == 1 && timertest.IsClosed(got[caller][i]), "early")
					}
				}
				timertest.Pass(tick)
				for caller := range callers {
					if i < len(got[caller]) {
						require.True(t, timertest.IsClosed(got[caller][i]), "late")
					}
				}
			}
		})
	}
}

// A server that ran for a while: a channel for each tick, which its caller no longer holds.
func TestAfterLeavesNothingBehind(t *testing.T) {
	clock, tm := timertest.NewManual(timertest.Inline)
	defer tm.StopAll()
	run := func(ticks int) {
		for range ticks {
			tm.After(time.Second)
			clock.Advance(10 * time.Millisecond)
		}
		clock.Advance(time.Minute)
	}
	run(2000)
	before := timertest.Heap()
	run(4000)
	assert.Less(t, timertest.Heap()-before, int64(64<<10), "bytes more in use")
	assert.Zero(t, tm.Pending())
}
