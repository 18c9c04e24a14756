package promises

import (
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const childLabel = "who armed first"

// labeled calls f with a profiler label.
func labeled(f func()) {
	pprof.Do(context.Background(), pprof.Labels(childLabel, "a request"), func(context.Context) { f() })
}

// isLabeled reports whether any goroutine has the label.
func isLabeled(t *testing.T) bool {
	t.Helper()
	var profile strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1))
	return strings.Contains(profile.String(), childLabel)
}

// Neither the worker nor a task counts as work for the request that happened to
// arm first.
func TestWorkerInheritsNoPprofLabels(t *testing.T) {
	labeled(func() { require.True(t, isLabeled(t), "a label shows") })
	for name, executor := range timertest.Executors() {
		t.Run(name, func(t *testing.T) {
			tm := timertest.NewOn(executor)
			defer tm.Stop()
			run := func(when string, arm func(f func()) *hashedwheel.Timeout) {
				running, looked := make(chan struct{}), make(chan struct{})
				labeled(func() {
					arm(func() {
						close(running)
						<-looked
					})
				})
				<-running
				assert.False(t, isLabeled(t), when)
				close(looked)
			}
			soon := func(f func()) *hashedwheel.Timeout { return tm.AfterFunc(timertest.Tick, f) }
			run("the first worker", soon)
			require.Eventually(t, func() bool { return timertest.LibraryGoroutines() == 0 }, 10*time.Second, timertest.Tick, "it has ended")
			run("the next one", soon)

			tm.AfterFunc(time.Hour, timertest.Nop)
			time.Sleep(20 * timertest.Tick)
			run("one that was woken", soon)
		})
	}
}

// The worker's goroutine was ended by a task, and another has begun.
func TestWorkerInheritsNoPprofLabelsAfterGoexit(t *testing.T) {
	tm := timertest.NewOn(hashedwheel.Inline{})
	defer tm.Stop()
	tm.AfterFunc(time.Hour, timertest.Nop) // else no worker stays
	goexit := make(chan struct{})
	labeled(func() {
		tm.AfterFunc(timertest.Tick, func() {
			defer close(goexit)
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(childLabel, "a task")))
			runtime.Goexit()
		})
	})
	<-goexit
	assert.Eventually(t, func() bool { return timertest.LibraryGoroutines() == 1 && !isLabeled(t) }, 10*time.Second, timertest.Tick)
}
