package promises

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestShutdownWaitsForRunningTasks(t *testing.T) {
	for end, f := range map[string]func(){
		"returns":      timertest.Nop,
		"calls Goexit": runtime.Goexit,
		"panics":       timertest.PanicHere,
	} {
		for name, opts := range timertest.EachExecutor {
			t.Run("a task that "+end+", "+name, func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					returned := false
					tm.AfterFunc(timertest.Tick, func() {
						time.Sleep(time.Second)
						returned = true
						f()
					})
					far := tm.AfterFunc(time.Hour, timertest.Nop)
					time.Sleep(2 * timertest.Tick)
					left, err := tm.Shutdown(context.Background())
					require.NoError(t, err)
					assert.True(t, returned)
					assert.Equal(t, []*hashedwheel.Timeout{far}, left)
					synctest.Wait() // Shutdown returns a few instructions before the worker does
					assert.Zero(t, timertest.LibraryGoroutines(), "the worker has ended")
				}, append(opts, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))...)
			})
		}
	}
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
		assert.Len(t, left, 1, "the result is returned all the same")
		assert.Equal(t, time.Minute, time.Since(start))
		_, err = tm.Shutdown(context.Background())
		require.NoError(t, err, "Shutdown can be called again")
		assert.Greater(t, time.Since(start), 59*time.Minute)
	})
}

// An executor ends the worker's goroutine, or panics, once another goroutine has the task.
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
				assert.ErrorIs(t, timertest.ShutdownErr(tm), context.DeadlineExceeded)
				timertest.Pass(time.Hour)
			}, hashedwheel.WithExecutor(begun), hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}
