package promises

import (
	"crypto/fips140"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The executor calls the method, then the task does, then the panic handler.
func TestUserCodeNeverRunsUnderALockInATask(t *testing.T) {
	for method, call := range timertest.EveryMethod {
		var own *hashedwheel.Timeout
		for name, e := range map[string]hashedwheel.Executor{
			"Inline":                    hashedwheel.Inline{},
			"an executor that calls it": hashedwheel.ExecutorFunc(func(f func()) { call(own); f() }),
		} {
			t.Run(method+" on "+name, func(t *testing.T) {
				called := make(chan bool, 1)
				handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) {
					call(to)
					select {
					case called <- true:
					default: // it ran twice: it was held up between a ResetAt to the past and a Stop
					}
				})
				tm := timertest.New(hashedwheel.WithExecutor(e), handler)
				defer timertest.Shutdown(t, tm)
				own = timertest.Owned(tm, timertest.NopTask)
				timertest.Returns(t, func() {
					to, err := tm.Schedule(0, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
						call(to)
						panic("on purpose")
					}))
					require.NoError(t, err)
					<-called
					call(to)
				})
			})
		}
	}
}

func TestUserCodeNeverRunsUnderALockInAdvance(t *testing.T) {
	for method, call := range timertest.EveryMethod {
		t.Run(method, func(t *testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := timertest.New(hashedwheel.WithClock(clock), timertest.OnWorker)
			ran := false
			_, err := tm.Schedule(0, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				call(to)
				clock.Advance(timertest.Tick)
				clock.Now()
				ran = true
			}))
			require.NoError(t, err)
			timertest.Returns(t, func() { clock.Advance(timertest.Tick) })
			assert.True(t, ran)
		})
	}
}

func TestUserCodeNeverRunsUnderALockSoOnlyShutdownWaitsForIt(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		release := make(chan struct{})
		stuck := tm.AfterFunc(0, func() { <-release })
		timertest.Pass(2 * timertest.Tick)
		start := time.Now()
		tm.Stats()
		tm.AfterFunc(time.Hour, timertest.Nop).Stop()
		assert.Zero(t, tm.Pending())
		assert.False(t, stuck.Stop())
		stuck.Reset(time.Hour)
		assert.Len(t, tm.StopAll(), 1)
		assert.Zero(t, time.Since(start), "nothing waited")
		time.AfterFunc(time.Minute, func() { close(release) })
		_, err := tm.Shutdown(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start), "Shutdown did")
		synctest.Wait()
	}, timertest.OnWorker)
}

// By default, the goroutine that a waker starts runs the last tasks itself, once another goroutine may be the worker.
// Whatever such a task does, the timer keeps running.
func TestUserCodeOnTheWorkersGoroutineHoldsUpNobody(t *testing.T) {
	for name, task := range map[string]func(tm *hashedwheel.Timer, blocked chan struct{}){
		"it blocks":         func(_ *hashedwheel.Timer, blocked chan struct{}) { <-blocked },
		"it ends by Goexit": func(*hashedwheel.Timer, chan struct{}) { runtime.Goexit() },
		"it stops the timer, and goes on": func(tm *hashedwheel.Timer, blocked chan struct{}) {
			tm.StopAll()
			<-blocked
		},
		"it panics": func(*hashedwheel.Timer, chan struct{}) { panic("on purpose") },
	} {
		t.Run(name, func(t *testing.T) {
			panics := hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				blocked := make(chan struct{})
				for range 3 {
					tm.AfterFunc(timertest.Tick, func() { task(tm, blocked) })
				}
				var ran [2]bool
				tm.AfterFunc(timertest.Tick, func() { ran[0] = true })
				tm.AfterFunc(2*timertest.Tick, func() { ran[1] = true })
				timertest.Pass(3 * timertest.Tick)
				assert.True(t, ran[0], "it was due at the same time")
				assert.Equal(t, !tm.Stats().Stopped, ran[1], "it was due after it")
				close(blocked)
				timertest.Shutdown(t, tm)
			}, panics)
		})
	}
}

// This saves a goroutine for each tick: the time package starts the goroutine that runs the task.
func TestLoneTaskRunsOnTheGoroutineOfTheAlarm(t *testing.T) {
	if timertest.Race {
		t.Skip("each task has its own goroutine")
	}
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var stack []byte
		tm.AfterFunc(time.Second, func() {
			stack = debug.Stack()
			assert.Equal(t, 1, timertest.LibraryGoroutines(), "the tests of quiet count it")
		})
		timertest.Pass(3 * time.Second)
		assert.Contains(t, string(stack), "created by time.goFunc")
	})
}

// The goroutine that arms first may be exempt from FIPS mode; the worker and the tasks are not.
func TestWorkerInheritsNoFIPSMode(t *testing.T) {
	if !timertest.InOwnProcess(t, "GODEBUG=fips140=only") {
		return
	}
	require.True(t, fips140.Enforced())
	for name, opts := range timertest.EachExecutor {
		tm := timertest.New(opts...)
		defer tm.StopAll()
		enforced := make(chan bool, 1)
		arm := func() *hashedwheel.Timeout {
			return tm.AfterFunc(timertest.Tick, func() { enforced <- fips140.Enforced() })
		}
		for range 2 {
			fips140.WithoutEnforcement(func() {
				require.False(t, fips140.Enforced())
				arm()
			})
			assert.True(t, <-enforced, "in a task, %s", name)
			time.Sleep(20 * timertest.Tick)
		}
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
