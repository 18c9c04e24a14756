package promises

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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
