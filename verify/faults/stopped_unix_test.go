//go:build unix

package faults

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const stopped = 2 * time.Second

// The process is stopped for two seconds, as by a debugger, a shell or a frozen container, while its clock keeps
// running. After that each of 2000 timeouts, a third of them due in the gap, runs once, none early; and no series makes
// up for missed runs.
func TestFaultProcessIsStopped(t *testing.T) {
	if !timertest.IsOwnProcess(t) {
		t.Parallel()
		stopAndContinue(t)
		return
	}
	const n, apart, period = 2000, 3 * timertest.Tick, 5 * timertest.Tick
	var checks []func()
	for name, opts := range timertest.EachExecutor {
		tm, start := timertest.New(opts...), time.Now()
		var others timertest.LateLog
		var runs atomic.Int64
		tm.Every(period, func(*hashedwheel.Series) { runs.Add(1) })
		for i := range n {
			d := time.Duration(i) * apart
			tm.AfterFunc(d, others.In(d))
		}
		checks = append(checks, func() {
			time.Sleep(time.Until(start.Add(n * apart)))
			timertest.Returns(t, func() {
				for others.Count() < n { // Pending counts the series, except during its run
					time.Sleep(timertest.Tick)
				}
			})
			stats, most := tm.Stats(), time.Since(start)-3*stopped/4 // no more can have run in the rest of the time
			timertest.Shutdown(t, tm)
			_, late := others.Assert(t, n, stopped+5*time.Second)
			assert.Greater(t, late, stopped/2, "it has been stopped")
			assert.LessOrEqual(t, stats.Wakeups, uint64(most/timertest.Tick), "wake-ups")
			assert.LessOrEqual(t, runs.Load(), int64(most/period), "runs of the series")
			t.Logf("%s: at most %v late, %d wake-ups, %d runs", name, late, stats.Wakeups, runs.Load())
		})
	}
	fmt.Println("ready")
	for _, check := range checks {
		check()
	}
}

// stopAndContinue runs the test in a separate process, which it stops as soon as the process is ready.
func stopAndContinue(t *testing.T) {
	t.Helper()
	process := timertest.OwnProcess(t)
	stdout, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	lines := bufio.NewReader(stdout)
	for line := ""; !strings.HasPrefix(line, "ready"); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	time.Sleep(100 * time.Millisecond) // so that some are due before the stop
	require.NoError(t, process.Process.Signal(syscall.SIGSTOP))
	time.Sleep(stopped)
	require.NoError(t, process.Process.Signal(syscall.SIGCONT))
	out, err := io.ReadAll(lines)
	require.NoError(t, err)
	t.Logf("%s", out)
	require.NoError(t, process.Wait())
}
