package promises

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A loop that runs the tasks of StopAll's result runs those of the user alone, whatever else the Timer holds. Nothing
// runs after that, and each channel gets its value.
func TestStopAllReturnsOnlyTimeoutsOfItsUser(t *testing.T) {
	for name, pass := range map[string]time.Duration{"queued": 0, "filed": timertest.Tick} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const d = time.Second
				var ran []string
				run := func(name string) func() { return func() { ran = append(ran, name) } }
				tm.AfterFunc(d, run("AfterFunc"))
				_, err := tm.Schedule(d, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { run("Schedule")() }))
				require.NoError(t, err)
				owned := new(hashedwheel.Timeout).InitFunc(tm, run("InitFunc"))
				owned.Reset(d)

				fail := func() { t.Error("a function ran") }
				every := tm.Every(d, func(*hashedwheel.Series) { fail() })
				recur := tm.Recur(each(d), func(*hashedwheel.Series) { fail() })
				values := keyed.New(tm, func(int, int) { fail() })
				require.NoError(t, values.Set(1, 1, d))
				here, there := net.Pipe()
				defer here.Close()
				defer there.Close()
				_, err = idle.NewConn(tm, here, d, idle.WithOnIdle(func(net.Conn) { fail() }))
				require.NoError(t, err)
				wheeltime.AfterFunc(tm, d, fail)
				timer, ticker, after := wheeltime.NewTimer(tm, d), wheeltime.NewTicker(tm, d), wheeltime.After(tm, d)
				shared := tm.After(d)
				timertest.Pass(pass)

				for _, to := range tm.StopAll() {
					assert.Equal(t, hashedwheel.Canceled, to.State())
					to.Task().Run(to)
				}
				assert.ElementsMatch(t, []string{"AfterFunc", "Schedule", "InitFunc"}, ran)
				assert.Zero(t, tm.Pending())
				channels := []<-chan time.Time{timer.C, ticker.C, after}
				timertest.Pass(d - pass - 1)
				for _, c := range channels {
					assert.Empty(t, c, "early")
				}
				assert.False(t, timertest.IsClosed(shared), "early")
				timertest.Pass(timertest.Tick)
				for _, c := range channels {
					assert.Len(t, c, 1)
				}
				assert.True(t, timertest.IsClosed(shared))
				ticker.Stop()
				timertest.Pass(time.Hour)
				assert.Len(t, ran, 3)
				for _, s := range []*hashedwheel.Series{every, recur} {
					assert.Zero(t, s.Next())
					assert.NoError(t, s.Err(), "nothing was refused")
					assert.False(t, s.Stop(), "it has ended")
					assert.False(t, s.Reset(d))
					assert.ErrorIs(t, s.Err(), hashedwheel.ErrStopped)
				}
				left := 0
				values.Drain(func(int, int) { left++ })
				assert.Equal(t, 1, left, "keyed values")
			})
		})
	}
}

// each is a Scheduler.
type each time.Duration

func (d each) Next(now time.Time) time.Time { return now.Add(time.Duration(d)) }

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
