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

// By default the goroutine that the alarm starts runs the last tasks itself, once another may do the worker's work.
// Whatever such a task does, the timer goes on.
func TestUserCodeOnTheWorkersGoroutineHoldsUpNobody(t *testing.T) {
	for name, task := range map[string]func(tm *hashedwheel.Timer, blocked chan struct{}){
		"it blocks":         func(_ *hashedwheel.Timer, blocked chan struct{}) { <-blocked },
		"it ends by Goexit": func(*hashedwheel.Timer, chan struct{}) { runtime.Goexit() },
		"it stops the timer, and goes on": func(tm *hashedwheel.Timer, blocked chan struct{}) {
			tm.Stop()
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

// A goroutine for each tick is spared: package time starts the one that runs the task.
func TestLoneTaskRunsOnTheGoroutineOfTheAlarm(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var stack []byte
		tm.AfterFunc(time.Second, func() { stack = debug.Stack() })
		timertest.Pass(3 * time.Second)
		assert.Contains(t, string(stack), "created by time.goFunc")
	})
}
