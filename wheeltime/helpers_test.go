package wheeltime_test

import (
	"bytes"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

const tick = timertest.Tick

// value receives the value that a channel holds now, if any.
func value(c <-chan time.Time) (at time.Time, ok bool) {
	select {
	case at = <-c:
		return at, true
	default:
		return time.Time{}, false
	}
}

func assertNone(t *testing.T, c <-chan time.Time, msg string) {
	t.Helper()
	if at, ok := value(c); ok {
		assert.Fail(t, "received "+at.Format(time.StampMicro), msg)
	}
}

// assertWithin asserts that there is a value, from at to a tick later.
func assertWithin(t *testing.T, c <-chan time.Time, at time.Time) {
	t.Helper()
	got, ok := value(c)
	if assert.True(t, ok, "a value is there") {
		assert.WithinRange(t, got, at, at.Add(tick))
	}
}

// onEither runs f in a bubble, with a wheel on each of the library's own executors.
func onEither(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	t.Helper()
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) { timertest.InBubble(t, f, opts...) })
	}
}

// lateRuns is the bubble's clock. The run of a Timer or a Ticker that has read it is held up there, as on a busy
// machine, until it is released.
type lateRuns chan (chan struct{})

func (c lateRuns) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (c lateRuns) Now() time.Time {
	now := time.Now()
	if isRun := bytes.Contains(debug.Stack(), []byte(").fire(")); isRun {
		released := make(chan struct{})
		c <- released
		<-released
	}
	return now
}

// release lets the oldest held run go on, and reports whether there was one.
func (c lateRuns) release() (ok bool) {
	select {
	case released := <-c:
		close(released)
		synctest.Wait()
		return true
	default:
		return false
	}
}

// onLateRuns runs f in a bubble, with a wheel whose runs are held up.
func onLateRuns(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, release func() bool)) {
	t.Helper()
	clock := make(lateRuns, 100)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		f(t, tm, clock.release)
		assert.False(t, clock.release(), "no run is left")
	}, hashedwheel.WithClock(clock))
}
