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

// What a test with a FakeClock has to know of a Timer:
//
//   - While something is pending, the Timer's goroutine waits in Clock.After. Wait
//     for that (BlockUntilContext) before each Advance.
//   - When it waits again after an Advance, it has handed out all that was due. Wait
//     for that too before looking at what must not have happened.
//   - With nothing pending there is no goroutine, and nobody waits.
//   - An arming may wake the goroutine and make it wait for another time. The one it
//     had waited for stays on the clock, and is counted until it has come: from then
//     on a count of 1 proves nothing. So arm first, then advance. Moving a timeout
//     later, as seen does, wakes nobody and may be done at any time. For a test that
//     must arm in between, take a hashedwheel.ManualClock.

const ttl = time.Minute

// waiters blocks until n wait for the clock.
func waiters(t *testing.T, clock *clockwork.FakeClock, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, clock.BlockUntilContext(ctx, n))
}

// newTestPresence returns a presence on a fake clock, and a channel on which come
// those who left.
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
	waiters(t, clock, 1) // the wheel has looked, and waits again
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

// Seen may come between the expiry of a timeout and its task. Here it does.
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
