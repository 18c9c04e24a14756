package promises

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// crowded returns a timer with many pending: in the wheel, near and far, and in the
// queue.
func crowded(n int) *hashedwheel.Timer {
	_, tm := timertest.NewManual()
	for i := range n {
		tm.AfterFunc(time.Duration(1+i%5000)*time.Second, timertest.Nop)
		if i == n/2 {
			tm.Pending()
		}
	}
	return tm
}

// assertAllOnce fails the test unless all is n different timeouts that are canceled.
func assertAllOnce(t *testing.T, n int, parts ...[]*hashedwheel.Timeout) {
	t.Helper()
	seen := make(map[*hashedwheel.Timeout]bool, n)
	twice, others := 0, 0
	for _, part := range parts {
		for _, to := range part {
			if seen[to] {
				twice++
			}
			seen[to] = true
			if to.State() != hashedwheel.Canceled {
				others++
			}
		}
	}
	assert.Len(t, seen, n)
	assert.Zero(t, twice, "returned twice")
	assert.Zero(t, others, "not canceled")
}

// The context bounds how long Shutdown waits for tasks. Whatever Stop would return Shutdown returns also.
func TestShutdownWithAnEndedContextReturnsAllPendingTimeouts(t *testing.T) {
	const n = 300_000
	tm := crowded(n)
	over := make(chan struct{})
	clock, running := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { go f() })))
	running.AfterFunc(0, func() { <-over })
	clock.Advance(time.Second)
	running.AfterFunc(time.Hour, timertest.Nop)
	ended, end := context.WithCancel(t.Context())
	end()
	left, err := tm.Shutdown(ended)
	require.NoError(t, err, "nothing runs")
	assertAllOnce(t, n, left)
	left, err = running.Shutdown(ended)
	require.ErrorIs(t, err, context.Canceled)
	assertAllOnce(t, 1, left)
	close(over)
	left, err = running.Shutdown(t.Context())
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestConcurrentStopsSharePendingTimeouts(t *testing.T) {
	const n, stops = 100_000, 4
	tm := crowded(n)
	var parts [stops][]*hashedwheel.Timeout
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { parts[i] = tm.Stop() })
	}
	all.Wait()
	assertAllOnce(t, n, parts[:]...)
}
