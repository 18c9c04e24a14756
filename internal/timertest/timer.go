// Package timertest provides helpers that the tests of several folders share: timers in virtual time, clocks and
// executors of many kinds, tasks that note when they ran, and counts of the library's goroutines and memory.
package timertest

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/race"
)

// Race is true with the race detector, which then dominates whatever a test measures.
const Race = race.Enabled

// Tick is the tick of the timers in these tests, unless a test sets another.
const Tick = time.Millisecond

// LetGo is how long a timer may keep a stopped timeout, unless two ticks are longer.
const LetGo = 100 * time.Millisecond

// Backlog is how many timeouts armed in a row producers leave to the worker, which files them in one drain, or with
// -tags small in several.
const Backlog = min(20*limits.Drain, limits.Deep/2)

// New returns a timer with a tick of Tick, unless opts set another.
func New(opts ...hashedwheel.Option) *hashedwheel.Timer {
	return hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(Tick)}, opts...)...)
}

// NewResting returns a timer whose worker sleeps for an hour, so that nothing but the calls of a test allocates.
func NewResting(t *testing.T, opts ...hashedwheel.Option) *hashedwheel.Timer {
	tm := hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(time.Hour)}, opts...)...)
	t.Cleanup(func() { tm.StopAll() })
	tm.AfterFunc(24*time.Hour, Nop)
	return tm
}

// LeaveFilingToTheWorker sets GOMAXPROCS to 1 for the test's timers. With many processors the queue has so many stripes
// that a few timeouts can make one deep, and then the call that arms the last of them files them.
func LeaveFilingToTheWorker(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// InBubble runs f on virtual time, with a timer that lives in it.
func InBubble(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer), opts ...hashedwheel.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tm := New(opts...)
		defer tm.StopAll()
		f(t, tm)
	})
}

// Pass sleeps for d of the bubble's time, then waits until all goroutines are blocked.
func Pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Owned returns a timeout that the caller owns, bound but not armed.
func Owned(tm *hashedwheel.Timer, task hashedwheel.Task) *hashedwheel.Timeout {
	return new(hashedwheel.Timeout).Init(tm, task)
}

// Nop does nothing.
func Nop() {}

// PanicHere panics; its name is in the stack.
func PanicHere() { panic("on purpose") }

// NopTask does nothing.
var NopTask = hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})

// Shutdown shuts tm down, and fails the test if tasks have not returned after 20 s.
func Shutdown(t *testing.T, tm *hashedwheel.Timer) []*hashedwheel.Timeout {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	left, err := tm.Shutdown(ctx)
	require.NoError(t, err, "Shutdown timed out")
	return left
}

// ShutdownErr returns Shutdown's error, after at most a minute of waiting.
func ShutdownErr(tm *hashedwheel.Timer) error {
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	_, err := tm.Shutdown(ctx)
	return err
}
