package clockwork

import (
	"context"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A clockwork.Clock fits hashedwheel.Clock without an adapter. Code that takes a clockwork.Clock passes it to
// WithClock, and its tests use a FakeClock. (For code without a clock, use a hashedwheel.ManualClock, which needs none
// of these rules, or a testing/synctest bubble.)
//
//   - While a timeout is pending, the Timer's goroutine waits for the clock. Before each Advance, make sure that the
//     goroutine waits: otherwise it begins to wait after the Advance, and so waits too long.
//   - When the goroutine waits again after an Advance, all due tasks have been dispatched.
//   - While no timeout is pending, there is no goroutine, so nothing waits.
//   - Arm first, then advance. If an arming makes the goroutine wait for an earlier time, the clock still counts the
//     abandoned wait. Moving a timeout later is safe at any time.
var _ hashedwheel.Clock = clockwork.Clock(nil)

// waits blocks until the Timer's goroutine waits for the clock.
func waits(t *testing.T, clock *clockwork.FakeClock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, clock.BlockUntilContext(ctx, 1))
}

// A session ends after a minute without use.
type session struct {
	idle hashedwheel.Timeout
	end  chan time.Time
}

func newSession(clock clockwork.Clock, tm *hashedwheel.Timer) *session {
	s := &session{end: make(chan time.Time, 1)}
	s.idle.InitFunc(tm, func() { s.end <- clock.Now() }).Reset(time.Minute)
	return s
}

func (s *session) use() bool { return s.idle.Move(time.Minute) }

func TestSessionEndsAfterAMinuteWithoutUse(t *testing.T) {
	clock := clockwork.NewFakeClock()
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.StopAll()
	s := newSession(clock, tm)
	for range 10 {
		waits(t, clock)
		clock.Advance(59 * time.Second)
		require.True(t, s.use())
	}
	waits(t, clock)
	clock.Advance(59 * time.Second)
	waits(t, clock)
	require.Empty(t, s.end)

	due := clock.Now().Add(time.Second)
	clock.Advance(time.Second + tm.Tick())
	require.WithinRange(t, <-s.end, due, due.Add(tm.Tick()))
	require.False(t, s.use())
}
