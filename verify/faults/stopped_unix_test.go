//go:build unix

package faults

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The process is stopped for two seconds, as by a debugger, a shell or a frozen container, while
// its clock goes on. After that each of 2000 timeouts, a third of them due in the gap, runs once, none
// early; and no series makes up for missed runs.
func TestFaultProcessIsStopped(t *testing.T) {
	if !timertest.IsOwnProcess(t) {
		t.Parallel()
		stopAndContinue(t)
		return
	}
	w := watchForGap()
	var all []*interrupted
	for name, opts := range timertest.EachExecutor {
		all = append(all, newInterrupted(name, opts))
	}
	fmt.Println("ready")
	for _, i := range all {
		timertest.Returns(t, i.rest.Wait)
	}
	gap := w.end()
	require.Greater(t, gap.end.Sub(gap.start), stopped/2, "it has been stopped")
	for _, i := range all {
		i.assertNothingMadeUpFor(t, gap)
	}
}

const stopped = 2 * time.Second

// stopAndContinue runs the test in a separate process, which it stops as soon as that is ready.
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
	time.Sleep(100 * time.Millisecond) // that some are due before it
	require.NoError(t, process.Process.Signal(syscall.SIGSTOP))
	time.Sleep(stopped)
	require.NoError(t, process.Process.Signal(syscall.SIGCONT))
	out, err := io.ReadAll(lines)
	require.NoError(t, err)
	t.Logf("%s", out)
	require.NoError(t, process.Wait())
}

// gap is a time in which nothing ran.
type gap struct{ start, end time.Time }

// gapWatch looks for the longest one.
type gapWatch struct {
	quit    atomic.Bool
	done    sync.WaitGroup
	longest gap
}

func watchForGap() *gapWatch {
	w := new(gapWatch)
	w.done.Go(func() {
		for last := time.Now(); !w.quit.Load(); {
			time.Sleep(timertest.Tick)
			now := time.Now()
			if now.Sub(last) > w.longest.end.Sub(w.longest.start) {
				w.longest = gap{last, now}
			}
			last = now
		}
	})
	return w
}

func (w *gapWatch) end() gap {
	w.quit.Store(true)
	w.done.Wait()
	return w.longest
}

// interrupted is a timer, and its record across the stop.
type interrupted struct {
	*hashedwheel.Timer
	name   string
	start  time.Time
	series *hashedwheel.Series
	runs   atomic.Int64 // of the series

	rest sync.WaitGroup
	mu   sync.Mutex
	ran  []run // of the others; guarded by mu
}

type run struct{ due, at time.Time }

const period = 5 * timertest.Tick

func newInterrupted(name string, opts []hashedwheel.Option) *interrupted {
	i := &interrupted{Timer: timertest.New(opts...), name: name, start: time.Now()}
	i.series = i.Every(period, func(*hashedwheel.Series) { i.runs.Add(1) })
	for k := range 2000 {
		i.rest.Add(1)
		d := time.Duration(k) * 3 * timertest.Tick // arming all took seconds on a machine that did much else
		due := time.Now().Add(d)
		i.AfterFunc(d, func() {
			at := time.Now()
			i.mu.Lock()
			defer i.mu.Unlock()
			i.ran = append(i.ran, run{due, at})
			i.rest.Done()
		})
	}
	return i
}

func (i *interrupted) assertNothingMadeUpFor(t *testing.T, gap gap) {
	t.Helper()
	i.series.Stop()
	took, stats := time.Since(i.start), i.Stats()
	assert.Empty(t, timertest.Shutdown(t, i.Timer))
	assert.Len(t, i.ran, 2000)
	missed, last := 0, gap.end
	for _, r := range i.ran {
		assert.False(t, r.at.Before(r.due), "early")
		if r.due.After(gap.start) && r.due.Before(gap.end) {
			missed++
			if r.at.After(last) {
				last = r.at
			}
		}
	}
	t.Logf("%s: stopped for %v; the %d that were due had run %v after it; %d wake-ups and %d runs of a series in %v",
		i.name, gap.end.Sub(gap.start), missed, last.Sub(gap.end), stats.Wakeups, i.runs.Load(), took)
	assert.Positive(t, missed)
	assert.Less(t, last.Sub(gap.end), 5*time.Second, "they run at once")
	most := took - 3*stopped/4 // it cannot have done more in the rest of the time
	assert.LessOrEqual(t, stats.Wakeups, uint64(most/timertest.Tick), "wake-ups")
	assert.LessOrEqual(t, i.runs.Load(), int64(most/period), "runs of the series")
}
