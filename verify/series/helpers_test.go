// Package series_test checks the promises of Every, EveryFrom and Recur from outside: when series run, and how they
// end. The model covers most of it.
package series_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

const tick = timertest.Tick

// aPeriod is not a multiple of a tick: no two points of a grid have the same phase.
const aPeriod = 10*tick + tick*333/1000

// delaying returns an executor that begins each task d later.
func delaying(d time.Duration) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) { time.AfterFunc(d, f) })
}

// swallow is a panic handler that lets the program continue.
var swallow = hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})

// nop is a run that does nothing.
func nop(*hashedwheel.Series) {}

// noted is a series whose runs are noted.
func noted(log *timertest.RunLog) func(*hashedwheel.Series) {
	return func(*hashedwheel.Series) { log.Note() }
}

// ended reports whether the series is over.
func ended(s *hashedwheel.Series) bool { return s.Next().IsZero() }

// agenda is a Scheduler that returns its times one after another, then ends the series.
type agenda []time.Time

func (a *agenda) Next(time.Time) (next time.Time) {
	if len(*a) > 0 {
		next, *a = (*a)[0], (*a)[1:]
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
