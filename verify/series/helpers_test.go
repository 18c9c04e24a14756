package series_test

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const tick = timertest.Tick

// aPeriod is no multiple of a tick: no two points of a grid have the same phase.
const aPeriod = 10*tick + tick/3

// poolDelay is how long the pool of onEachExecutor keeps a task waiting.
const poolDelay = 3 * tick

// executors are all kinds on which a series may find itself.
var executors = map[string]func() hashedwheel.Executor{
	"goroutines":         nil,
	"Inline":             func() hashedwheel.Executor { return hashedwheel.Inline{} },
	"the worker":         func() hashedwheel.Executor { return hashedwheel.ExecutorFunc(func(f func()) { f() }) },
	"a pool of one":      newPoolOfOne,
	"a pool that delays": newPoolThatDelays,
}

func newPoolOfOne() hashedwheel.Executor {
	turn := make(chan bool, 1)
	return hashedwheel.ExecutorFunc(func(f func()) {
		go func() {
			turn <- true
			defer func() { <-turn }()
			f()
		}()
	})
}

func newPoolThatDelays() hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) { time.AfterFunc(poolDelay, f) })
}

// onEachExecutor is timertest.InBubble, in the middle of a tick, on every kind of
// executor. late is how late a run may be there.
func onEachExecutor(
	t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, late time.Duration), opts ...hashedwheel.Option,
) {
	t.Helper()
	for name, newExecutor := range executors {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts := slices.Clone(opts)
				late := tick
				if newExecutor != nil {
					opts = append(opts, hashedwheel.WithExecutor(newExecutor()))
				}
				if name == "a pool that delays" {
					late += poolDelay
				}
				time.Sleep(tick / 7)
				tm := timertest.New(opts...)
				defer tm.Stop()
				time.Sleep(tick / 3)
				f(t, tm, late)
			})
		})
	}
}

// swallow is a panic handler that lets the program go on.
var swallow = hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})

// nop is a run that does nothing.
func nop(*hashedwheel.Series) {}

// noted is a series whose runs are noted.
func noted(log *timertest.RunLog) func(*hashedwheel.Series) {
	return func(*hashedwheel.Series) { log.Note() }
}

// ended reports whether the series is over, by each way of asking that changes nothing.
func ended(s *hashedwheel.Series) bool { return s.Next().IsZero() }

// agenda is a Scheduler that gives the times of a list, then ends the series.
type agenda struct {
	times []time.Time
	asked []time.Time // when Next was called
}

func (a *agenda) Next(now time.Time) (next time.Time) {
	a.asked = append(a.asked, now)
	if len(a.times) > 0 {
		next, a.times = a.times[0], a.times[1:]
	}
	return next
}

// schedule is a function used as a Scheduler.
type schedule func(now time.Time) time.Time

func (s schedule) Next(now time.Time) time.Time { return s(now) }

// failures are the ways in which user code does not return.
var failures = map[string]func(){
	"panics": func() { panic("on purpose") },
	"exits":  runtime.Goexit,
}
