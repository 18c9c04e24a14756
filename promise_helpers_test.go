package hashedwheel_test

import (
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// The promise_*_test.go files hold one test or more for every promise of the
// package documentation, named after it. They see the package from outside and
// run in virtual time, but for the few whose subject is real time or a deadlock.

// oneTick is the tick of the timers in these tests, unless they say otherwise.
const oneTick = time.Millisecond

// inBubble runs f on virtual time, with a timer that lives in it.
func inBubble(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer), opts ...hashedwheel.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tm := newTickingTimer(opts...)
		defer tm.Stop()
		f(t, tm)
	})
}

// newTickingTimer ticks once every oneTick unless opts say otherwise.
func newTickingTimer(opts ...hashedwheel.Option) *hashedwheel.Timer {
	return hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(oneTick)}, opts...)...)
}

// pass lets d of the bubble's time go by, and what it brings come to rest.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// onWorker runs tasks on the worker in strict order: a slow one stalls it.
var onWorker = hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { f() }))

// runLog is a Task that notes the times at which it ran.
type runLog struct {
	mu sync.Mutex
	at []time.Time
}

func (l *runLog) Run(*hashedwheel.Timeout) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = append(l.at, time.Now())
}

func (l *runLog) times() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

func (l *runLog) count() int { return len(l.times()) }

// owned returns a timeout of the caller's own, bound but not armed.
func owned(tm *hashedwheel.Timer, task hashedwheel.Task) *hashedwheel.Timeout {
	to := new(hashedwheel.Timeout)
	to.Init(tm, task)
	return to
}

// delaysAround returns the delays at which wheels of that many buckets have
// gone wrong: about ticks, turns, and turns of turns, and the extremes.
func delaysAround(size int) []time.Duration {
	delays := []time.Duration{math.MinInt64, math.MinInt64 + 1, -time.Hour, -1, 0, time.Hour, 20 * 24 * time.Hour, 10 * 365 * 24 * time.Hour}
	turn := time.Duration(size) * oneTick
	for _, d := range []time.Duration{oneTick, turn, 2 * turn, 3 * turn, 63 * turn, 64 * turn, 65 * turn, 64 * 64 * turn} {
		delays = append(delays, d-oneTick, d-1, d, d+1, d+oneTick)
	}
	return delays
}

// lateness arms a timeout for each delay and returns how long after its
// deadline each ran. A negative delay asks for now.
func lateness(tm *hashedwheel.Timer, delays []time.Duration) []time.Duration {
	late := make([]time.Duration, len(delays))
	ran := make(chan struct{}, len(delays)) // Go before 1.25.3 may forget that a WaitGroup is in a bubble
	for i, d := range delays {
		deadline := time.Now().Add(max(d, 0))
		tm.AfterFunc(d, func() {
			late[i] = time.Since(deadline)
			ran <- struct{}{}
		})
	}
	for range delays {
		<-ran
	}
	return late
}

// libraryGoroutines returns how many goroutines the library has started.
func libraryGoroutines() (n int) {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for _, g := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(g, "created by github.com/hashedwheel/hashedwheel.") {
			n++
		}
	}
	return n
}

// returns fails the test if f is stuck: a deadlock on a mutex stops a bubble's
// time, so these tests are on real time.
func returns(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		require.FailNow(t, "deadlock: a call did not return")
	}
}
