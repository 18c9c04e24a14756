package hashedwheel_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// The fault_*_test.go files hold what docs/faults.md says of things that go wrong
// around the timer: clocks, executors, tasks, the machine.
//
// Some faults concern a whole process, or end it. Those tests run themselves
// again in one of their own.

const ownProcessOf = "HASHEDWHEEL_FAULT" // names the test that the process was started for

// inOwnProcess has the calling test run again, alone in a process with env, and
// shows what it logs there. It reports true in that process.
func inOwnProcess(t *testing.T, env ...string) bool {
	t.Helper()
	if isOwnProcess(t) {
		return true
	}
	t.Parallel()
	out, err := ownProcess(t, env...).CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	assert.Contains(t, string(out), "--- PASS: "+t.Name(), "it has run")
	return false
}

func isOwnProcess(t *testing.T) bool { return os.Getenv(ownProcessOf) == t.Name() }

// ownProcess is the test alone in a process with env, not started yet.
func ownProcess(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	args := []string{"-test.run=^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$", "-test.v", "-test.timeout=100s"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), append(env, ownProcessOf+"="+t.Name())...)
	return cmd
}

// Without a handler a panic of user's code ends the program, and says where it
// came from: no fault is passed over in silence.
func TestFaultPanicWithoutAHandlerCrashes(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"in a task":                 nil,
		"in a task on the worker":   {onWorker},
		"in a task of Inline":       {inlined},
		"in the executor":           {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) { panicHere() }))},
		"in the panic handler, too": {hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) { panicHere() })},
	} {
		t.Run(name, func(t *testing.T) {
			if isOwnProcess(t) {
				newTickingTimer(opts...).AfterFunc(0, panicHere)
				time.Sleep(time.Minute)
				return // and so it has not crashed
			}
			t.Parallel()
			out, err := ownProcess(t).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 2, exit.ExitCode())
			assert.Contains(t, string(out), "panic: on purpose")
			assert.Contains(t, string(out), "panicHere", "where it came from")
		})
	}
}
