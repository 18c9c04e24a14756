// Package faults contains the tests of the faults in docs/reliability.md: of executors, tasks and the machine.
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

// Without a handler a panic in a task ends the program with its stack: no fault is silently ignored.
func TestFaultPanicWithoutAHandlerCrashes(t *testing.T) {
	panics := hashedwheel.ExecutorFunc(func(func()) { timertest.PanicHere() })
	again := func(*hashedwheel.Timeout, any) { timertest.PanicHere() }
	for name, opts := range map[string][]hashedwheel.Option{
		"in a task":               nil,
		"in a task on the worker": {timertest.OnWorker},
		"in a task of Inline":     {timertest.Inline},
		"in a task of a Limit":    {hashedwheel.WithExecutor(hashedwheel.Limit(1))},
		"in the executor":         {hashedwheel.WithExecutor(panics)},
		"in the panic handler":    {hashedwheel.WithPanicHandler(again)},
	} {
		t.Run(name, func(t *testing.T) {
			if timertest.IsOwnProcess(t) {
				timertest.New(opts...).AfterFunc(0, timertest.PanicHere)
				time.Sleep(time.Minute)
				return // and so it has not crashed
			}
			t.Parallel()
			out, err := timertest.OwnProcess(t).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 2, exit.ExitCode())
			assert.Contains(t, string(out), "panic: on purpose")
			assert.Contains(t, string(out), "timertest.PanicHere", "where it came from")
		})
	}
}

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
