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

func TestGoexitOrPanicOfATaskEndsNothingElse(t *testing.T) {
	for way, task := range map[string]struct {
		end    func()
		panics uint64
	}{"Goexit": {runtime.Goexit, 0}, "panic": {timertest.PanicHere, 200}} {
		for name, opts := range timertest.EachExecutor {
			t.Run(way+", "+name, func(t *testing.T) {
				handler := hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					var log timertest.RunLog
					for i := range 200 {
						tm.AfterFunc(5*timertest.Tick, task.end)
						timertest.Owned(tm, &log).Reset(time.Duration(i/10) * timertest.Tick)
					}
					timertest.Pass(19 * timertest.Tick) // nothing is late
					assert.Equal(t, 200, log.Count())
					assert.Equal(t, uint64(400), tm.Stats().Expired)
					assert.Equal(t, task.panics, tm.Stats().Panics)
					assert.NoError(t, timertest.ShutdownErr(tm), "what has ended is not waited for")
				}, append(opts, handler)...)
			})
		}
	}
}
