package timertest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// Some tests concern a whole process, or end it. They run themselves again in a separate process.

const ownProcessOf = "HASHEDWHEEL_TEST" // names the test that the process was started for

// InOwnProcess runs the calling test again, alone in a process with env, and logs its output. It reports true in that
// process.
func InOwnProcess(t *testing.T, env ...string) bool {
	t.Helper()
	if IsOwnProcess(t) {
		return true
	}
	t.Parallel()
	out, err := OwnProcess(t, env...).CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	assert.Contains(t, string(out), "--- PASS: "+t.Name(), "it has run")
	return false
}

// IsOwnProcess reports whether this is the process that OwnProcess made for t.
func IsOwnProcess(t *testing.T) bool {
	t.Helper()
	return os.Getenv(ownProcessOf) == t.Name()
}

// OwnProcess returns a command, not started yet, that runs t alone in a process with env.
func OwnProcess(t *testing.T, env ...string) *exec.Cmd {
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

// VerifyMain is goleak.VerifyTestMain for busy machines: goroutines that are about to end have twenty seconds, not half
// a second.
func VerifyMain(m *testing.M) { goleak.VerifyTestMain(patient{m}, ofRuntime) }

// ofRuntime ignores the goroutine in which js runs its events: no other goroutine shows the runtime's frames.
var ofRuntime = goleak.IgnoreTopFunction("runtime.gopark")

type patient struct{ *testing.M }

// Run runs the tests, and then waits while goroutines are left over.
func (m patient) Run() (status int) {
	status = m.M.Run()
	end := time.Now().Add(20 * time.Second)
	for status == 0 && goleak.Find(ofRuntime) != nil && time.Now().Before(end) {
		time.Sleep(10 * time.Millisecond)
	}
	return status
}
