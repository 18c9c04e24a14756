package wheeltime_test

import (
	"testing"
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
