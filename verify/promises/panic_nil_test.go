package promises

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// There recover returns nil for a panic(nil), as before Go 1.21.
func TestPanicHandlerGetsPanicNilUnderGODEBUG(t *testing.T) {
	if !timertest.InOwnProcess(t, "GODEBUG=panicnil=1") {
		return
	}
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			var got []any // no lock: tasks are a tick apart
			handler := hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, recovered any) {
				got = append(got, recovered)
			})
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				for range 3 {
					tm.AfterFunc(timertest.Tick, func() { panic(nil) })
					timertest.Pass(2 * timertest.Tick)
				}
				tm.AfterFunc(timertest.Tick, func() { runtime.Goexit() }) // no panic
				timertest.Pass(2 * timertest.Tick)
				nilError := new(runtime.PanicNilError)
				assert.Equal(t, []any{nilError, nilError, nilError}, got)
				assert.Equal(t, uint64(3), tm.Stats().Panics)
				assert.NoError(t, timertest.ShutdownErr(tm))
			}, append(opts, handler)...)
		})
	}
}
