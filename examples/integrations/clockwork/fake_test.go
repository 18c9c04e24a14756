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

// A clockwork.Clock is a hashedwheel.Clock as it is. Code that has one gives it to its Timer by WithClock, and its
// tests take a FakeClock. (Code that has none yet is tested on a hashedwheel.ManualClock, which needs none of these
// rules, or in a bubble of testing/synctest.)
//
//   - While a timeout is pending, the Timer's goroutine waits for the clock. Let it wait before each Advance: otherwise
//     it begins to wait at the later time.
//   - When it waits again after an Advance, it has handed out all due tasks.
//   - While no timeout is pending there is no goroutine, so nothing waits.
//   - Arm first, then advance. After an arming the goroutine may wait for an earlier time, and the clock still counts
//     the wait for the later one. To move a timeout later is safe at any time.
var _ hashedwheel.Clock = clockwork.Clock(nil)

// waits blocks until the Timer waits for the clock.
func waits(t *testing.T, clock *clockwork.FakeClock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, clock.BlockUntilContext(ctx, 1))
}

// A session ends when it was not used for a minute.
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
	defer tm.Stop()
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
