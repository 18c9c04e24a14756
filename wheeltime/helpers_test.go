package wheeltime_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) { timertest.InBubble(t, f, opts...) })
	}
}

// full returns a full timer, and a function that makes room in it.
func full(opts ...hashedwheel.Option) (tm *hashedwheel.Timer, makeRoom func() bool) {
	tm = timertest.New(append([]hashedwheel.Option{hashedwheel.WithMaxPending(1)}, opts...)...)
	return tm, tm.AfterFunc(1000*time.Hour, timertest.Nop).Stop
}

// inTimeInstead runs f in a bubble with wheels that refuse every arming.
func inTimeInstead(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	t.Helper()
	t.Run("stopped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tm := timertest.New()
			tm.Stop()
			f(t, tm)
		})
	})
	t.Run("full", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tm, _ := full()
			defer tm.Stop()
			f(t, tm)
		})
	})
}
