package main

import (
	"context"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Four rules for a test of a Timer with a FakeClock:
//
//   - While a timeout is pending, the Timer's goroutine waits in Clock.After. Wait for that
//     (BlockUntilContext) before each Advance.
//   - When it waits again after an Advance, it has handed out all due tasks. Wait for that before
//     checking that something did not happen.
//   - While no timeout is pending there is no goroutine, so nothing waits.
//   - An arming may make the goroutine wait for an earlier time. The later wait stays on the
//     FakeClock and is counted until its time, so a count of 1 proves nothing. Arm first, then
//     advance. Moving a timeout later, as seen does, is safe at any time. A test that must arm
//     in between needs a hashedwheel.ManualClock.

const ttl = time.Minute

// waiters blocks until n goroutines wait for the clock.
func waiters(t *testing.T, clock *clockwork.FakeClock, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, clock.BlockUntilContext(ctx, n))
}

// newTestPresence returns a presence on a fake clock, and a channel of the members that left.
func newTestPresence(t *testing.T) (*presence, *clockwork.FakeClock, <-chan string) {
	t.Helper()
	clock := clockwork.NewFakeClock()
	left := make(chan string, 10)
	p := newPresence(clock, ttl, func(name string, _ time.Duration) { left <- name })
	t.Cleanup(p.close)
	return p, clock, left
}

func TestMemberLeavesAfterTTL(t *testing.T) {
	p, clock, left := newTestPresence(t)
	require.False(t, p.isHere("ann"))
	p.seen("ann")

	waiters(t, clock, 1)
	clock.Advance(ttl - 1)
	waiters(t, clock, 1) // the Timer has handed out due tasks, and waits again
	require.True(t, p.isHere("ann"))

	clock.Advance(1)
	require.Equal(t, "ann", <-left)
	require.False(t, p.isHere("ann"))
}

func TestMemberThatIsSeenStays(t *testing.T) {
	p, clock, left := newTestPresence(t)
	for range 100 {
		p.seen("ann")
		waiters(t, clock, 1)
		clock.Advance(ttl - 1)
	}
	waiters(t, clock, 1)
	require.True(t, p.isHere("ann"))
	require.Empty(t, left)
}

func TestMembersLeaveEachInTheirTime(t *testing.T) {
	p, clock, left := newTestPresence(t)
	p.seen("ann")
	p.seen("bob")
	waiters(t, clock, 1)
	clock.Advance(ttl / 2)

	p.seen("bob")
	waiters(t, clock, 1)
	clock.Advance(ttl / 2)
	require.Equal(t, "ann", <-left)
	waiters(t, clock, 1)
	require.True(t, p.isHere("bob"))

	clock.Advance(ttl / 2)
	require.Equal(t, "bob", <-left)
}

func TestMemberMayComeBack(t *testing.T) {
	p, clock, left := newTestPresence(t)
	for range 3 {
		p.seen("ann")
		waiters(t, clock, 1)
		clock.Advance(ttl)
		require.Equal(t, "ann", <-left)
	}
}

// The test calls seen between the expiry of a timeout and its task.
func TestMemberSeenWhileLeavingStays(t *testing.T) {
	p, _, left := newTestPresence(t)
	p.seen("ann")
	m := p.members["ann"]
	m.Run(&m.timeout) // as if it had expired before it was seen
	require.True(t, p.isHere("ann"))
	require.Empty(t, left)
}

func TestClosedPresenceCallsNobody(t *testing.T) {
	p, clock, left := newTestPresence(t)
	p.seen("ann")
	p.close()
	clock.Advance(2 * ttl)
	require.Empty(t, left)
}
