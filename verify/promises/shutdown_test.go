package promises

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestShutdownWaitsForRunningTasks(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				returned := false
				tm.AfterFunc(timertest.Tick, func() {
					time.Sleep(time.Second)
					returned = true
				})
				far := tm.AfterFunc(time.Hour, timertest.Nop)
				time.Sleep(2 * timertest.Tick)
				left, err := tm.Shutdown(context.Background())
				require.NoError(t, err)
				assert.True(t, returned)
				assert.Equal(t, []*hashedwheel.Timeout{far}, left)
				synctest.Wait() // Shutdown returns a few instructions before the worker does
				assert.Zero(t, timertest.LibraryGoroutines(), "the worker has ended, too")
			}, opts...)
		})
	}
}

func TestShutdownOfATimerAtRestReturnsAtOnce(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	_, err := timertest.New().Shutdown(ended)
	assert.NoError(t, err, "there was nothing to wait for")
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(0, func() { time.Sleep(time.Hour) })
		tm.AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(2 * timertest.Tick)
		start := time.Now()
		ctx, end := context.WithTimeout(context.Background(), time.Minute)
		defer end()
		left, err := tm.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Len(t, left, 1, "the result is there all the same")
		assert.Equal(t, time.Minute, time.Since(start))
		_, err = tm.Shutdown(context.Background())
		require.NoError(t, err, "and can be waited for again")
		assert.Greater(t, time.Since(start), 59*time.Minute)
	})
}

// A task calls Shutdown while the worker hands out its batch: the other due timeouts never run.
func TestShutdownLeavesNothingThatRuns(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n = 100_000
		ctx, end := context.WithCancel(context.Background())
		end()
		ran := 0
		var left []*hashedwheel.Timeout
		for range n {
			tm.AfterFunc(5*timertest.Tick, func() {
				if ran++; ran == 1 {
					var err error
					left, err = tm.Shutdown(ctx)
					assert.ErrorIs(t, err, context.Canceled)
				}
			})
		}
		timertest.Pass(10 * timertest.Tick)
		assert.Equal(t, 1, ran)
		assert.Len(t, left, n-1)
	}, timertest.OnWorker)
}

func TestShutdownByManyGoroutines(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		release := make(chan struct{})
		tm.AfterFunc(0, func() { <-release })
		tm.AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(2 * timertest.Tick)
		var mu sync.Mutex
		var waiting sync.WaitGroup
		total := 0
		for range 5 {
			waiting.Go(func() {
				left, err := tm.Shutdown(context.Background())
				assert.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				total += len(left)
			})
		}
		timertest.Pass(time.Minute)
		close(release)
		waiting.Wait()
		assert.Equal(t, 1, total)
	})
}

func TestShutdownFromATask(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(time.Hour, timertest.Nop)
				tm.AfterFunc(0, func() {
					ctx, end := context.WithTimeout(context.Background(), time.Second)
					defer end()
					left, err := tm.Shutdown(ctx)
					assert.ErrorIs(t, err, context.DeadlineExceeded, "it waited for itself")
					assert.Len(t, left, 1)
				})
				timertest.Pass(2 * time.Second)
				_, err := tm.Shutdown(context.Background())
				assert.NoError(t, err)
			}, opts...)
		})
	}
}

func TestGoexitOfATaskEndsNothingElse(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log timertest.RunLog
				for i := range 200 {
					tm.AfterFunc(5*timertest.Tick, runtime.Goexit)
					timertest.Owned(tm, &log).Reset(time.Duration(i/10) * timertest.Tick)
				}
				timertest.Pass(50 * timertest.Tick)
				assert.Equal(t, 200, log.Count())
				assert.Equal(t, uint64(400), tm.Stats().Expired)
				_, err := tm.Shutdown(context.Background())
				assert.NoError(t, err, "what has ended is not waited for")
			}, opts...)
		})
	}
}

func TestPanicOfATaskGoesToTheHandler(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
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

func TestPanicOfATaskEndsNothingElse(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			handler := hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log timertest.RunLog
				for range 200 {
					tm.AfterFunc(5*timertest.Tick, timertest.PanicHere)
					timertest.Owned(tm, &log).Reset(5 * timertest.Tick)
				}
				timertest.Pass(5 * timertest.Tick)
				assert.Equal(t, 200, log.Count())
				assert.Equal(t, uint64(200), tm.Stats().Panics)
				_, err := tm.Shutdown(context.Background())
				assert.NoError(t, err, "what panicked is not waited for")
			}, append(opts, handler)...)
		})
	}
}

// The handler gets the executor's own panics, whether the task has run or not, and Shutdown does
// not wait for a task that will never begin.
func TestPanicOfTheExecutorGoesToTheHandler(t *testing.T) {
	for name, e := range map[string]hashedwheel.ExecutorFunc{
		"before the task": func(func()) { panic("executor") },
		"after the task":  func(f func()) { f(); panic("executor") },
	} {
		t.Run(name, func(t *testing.T) {
			var value any
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(timertest.Tick, timertest.Nop)
				timertest.Pass(5 * timertest.Tick)
				assert.Equal(t, "executor", value)
				ctx, end := context.WithTimeout(context.Background(), time.Minute)
				defer end()
				_, err := tm.Shutdown(ctx)
				assert.NoError(t, err)
			}, hashedwheel.WithExecutor(e), hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, r any) { value = r }))
		})
	}
}

// Without a handler the caller of Advance gets the panic, and may go on.
func TestPanicOfTheExecutorThroughAdvanceLeavesNothingToWaitFor(t *testing.T) {
	for name, e := range map[string]hashedwheel.ExecutorFunc{
		"before the task": func(func()) { panic("executor") },
		"after the task":  func(f func()) { f(); panic("executor") },
	} {
		t.Run(name, func(t *testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(e))
			tm.AfterFunc(time.Second, timertest.Nop)
			assert.PanicsWithValue(t, "executor", func() { clock.Advance(time.Minute) })
			ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
			defer end()
			_, err := tm.Shutdown(ctx)
			assert.NoError(t, err)
		})
	}
}

// An executor that ends the worker's goroutine, or panics, once another has the task.
func TestShutdownWaitsForATaskThatItsExecutorHasBegun(t *testing.T) {
	for name, end := range map[string]func(){
		"and ended the goroutine": runtime.Goexit,
		"and panicked":            func() { panic("executor") },
	} {
		t.Run(name, func(t *testing.T) {
			var begun hashedwheel.ExecutorFunc = func(f func()) {
				go f()
				time.Sleep(timertest.Tick)
				end()
			}
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(timertest.Tick, func() { time.Sleep(time.Hour) })
				timertest.Pass(5 * timertest.Tick)
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				_, err := tm.Shutdown(ctx)
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				timertest.Pass(time.Hour)
			}, hashedwheel.WithExecutor(begun), hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}
