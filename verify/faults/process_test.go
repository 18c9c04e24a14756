package faults

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func panicHere() { panic("on purpose") }

// Without a handler a panic of user's code ends the program, and says where it
// came from: no fault is passed over in silence.
func TestFaultPanicWithoutAHandlerCrashes(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"in a task":                 nil,
		"in a task on the worker":   {timertest.OnWorker},
		"in a task of Inline":       {hashedwheel.WithExecutor(hashedwheel.Inline{})},
		"in the executor":           {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) { panicHere() }))},
		"in the panic handler, too": {hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) { panicHere() })},
	} {
		t.Run(name, func(t *testing.T) {
			if timertest.IsOwnProcess(t) {
				timertest.New(opts...).AfterFunc(0, panicHere)
				time.Sleep(time.Minute)
				return // and so it has not crashed
			}
			t.Parallel()
			out, err := timertest.OwnProcess(t).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 2, exit.ExitCode())
			assert.Contains(t, string(out), "panic: on purpose")
			assert.Contains(t, string(out), "panicHere", "where it came from")
		})
	}
}
