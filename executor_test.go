package hashedwheel_test

import (
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Tasks of the default executor share goroutines. No task may notice that.

func TestCrewsAreFew(t *testing.T) {
	if timertest.Race {
		t.Skip("each task has its own goroutine")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 6400
	clock := hashedwheel.NewManualClock(time.Now())
	tm := timertest.New(hashedwheel.WithClock(clock))
	var most atomic.Int64
	for range n {
		tm.AfterFunc(timertest.Tick, func() {
			// Another write may be lost: one task runs at a time, except when preempted.
			most.Store(max(most.Load(), int64(runtime.NumGoroutine())))
		})
	}
	before := int64(runtime.NumGoroutine())
	clock.Advance(timertest.Tick)
	timertest.Shutdown(t, tm)
	assert.Less(t, most.Load()-before, int64(4*n/limits.Batch))
}

// A goroutine that allocates may have to help the collector: then the worker, and due timeouts, would wait behind all
// other goroutines.
func TestDispatchAllocatesNothingIfTheLastBatchHasEnded(t *testing.T) {
	if timertest.Race {
		t.Skip("each task has its own goroutine")
	}
	allocs := func(opts ...hashedwheel.Option) (n float64) {
		synctest.Test(t, func(*testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := timertest.New(append(opts, hashedwheel.WithClock(clock))...)
			defer tm.StopAll()
			var to hashedwheel.Timeout
			to.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
			n = testing.AllocsPerRun(100, func() {
				to.Reset(timertest.Tick)
				clock.Advance(2 * timertest.Tick)
				synctest.Wait() // all have left the crew
			})
		})
		return n
	}
	assert.Equal(t, allocs(timertest.Inline), allocs(), "what Advance allocates")
}

const childLabel = "who armed first"

// isLabeled reports whether any goroutine has the label.
func isLabeled(t *testing.T) bool {
	t.Helper()
	var profile strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1))
	return strings.Contains(profile.String(), childLabel)
}

// Neither the worker nor a task counts as work for the request that happened to arm first.
func TestWorkerInheritsNoPprofLabels(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(opts...)
			defer tm.StopAll()
			running, checked := make(chan struct{}), make(chan struct{})
			pprof.Do(t.Context(), pprof.Labels(childLabel, "a request"), func(context.Context) {
				require.True(t, isLabeled(t), "a label shows")
				tm.AfterFunc(timertest.Tick, func() {
					close(running)
					<-checked
				})
			})
			<-running
			assert.False(t, isLabeled(t))
			close(checked)
		})
	}
}

// A task ends the worker's goroutine, and another goroutine continues with the batch.
func TestWorkerInheritsNoPprofLabelsAfterGoexit(t *testing.T) {
	tm := timertest.New(timertest.Inline)
	defer tm.StopAll()
	var ran atomic.Int32
	on, over := make(chan struct{}), make(chan struct{})
	defer close(over)
	for range 2 {
		tm.AfterFunc(timertest.Tick, func() {
			if ran.Add(1) == 2 {
				close(on)
				<-over
				return
			}
			pprof.SetGoroutineLabels(pprof.WithLabels(t.Context(), pprof.Labels(childLabel, "a task")))
			runtime.Goexit()
		})
	}
	<-on
	hasEnded := func() bool { return !isLabeled(t) }
	assert.Eventually(t, hasEnded, 10*time.Second, timertest.Tick, "the goroutine of the first")
}

// The library runs tasks inline without calling Inline.Go; executors that wrap Inline call it.
func TestInlineGoRunsTheFunctionBeforeItReturns(t *testing.T) {
	ran := false
	hashedwheel.Inline{}.Go(func() { ran = true })
	assert.True(t, ran)
}

// With the race detector each task has its own goroutine: a shared one would order tasks that nothing else orders, and
// so would a counter of tasks.
func TestRacesOfTasksAreReported(t *testing.T) {
	if !timertest.Race {
		t.Skip("for the race detector")
	}
	armEight := func(apart time.Duration, opts ...hashedwheel.Option) func(race func()) {
		return func(race func()) {
			tm := timertest.New(opts...)
			for i := range time.Duration(8) {
				tm.AfterFunc(timertest.Tick+i*apart, race)
			}
		}
	}
	for name, arm := range map[string]func(race func()){
		"of the default executor, in a tick":  armEight(0),
		"of the default executor, in several": armEight(2 * timertest.Tick),
		"of another executor":                 armEight(2*timertest.Tick, timertest.EachExecutor["goroutines"]...),
		"of the time package": func(race func()) {
			for range 8 {
				time.AfterFunc(timertest.Tick, race)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if timertest.IsOwnProcess(t) {
				n := 0
				arm(func() { n++ })
				time.Sleep(50 * timertest.Tick) // unlike a channel, it orders nothing
				return
			}
			t.Parallel()
			for range timertest.Lasting(20) {
				out, err := timertest.OwnProcess(t, "GORACE=atexit_sleep_ms=0").CombinedOutput()
				require.Error(t, err)
				require.Contains(t, string(out), "WARNING: DATA RACE")
			}
		})
	}
}
