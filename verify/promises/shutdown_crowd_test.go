package promises

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
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

func TestShutdownEndsWithItsContextWhileItCollects(t *testing.T) {
	const n = 300_000
	tm := crowded(n)
	ended, end := context.WithCancel(context.Background())
	end()
	part, err := tm.Shutdown(ended)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotEmpty(t, part)
	assert.Less(t, len(part), n, "it has not collected all")
	assert.ErrorIs(t, tm.AfterFunc(0, timertest.Nop).Err(), hashedwheel.ErrStopped, "it has stopped the timer all the same")

	rest, err := tm.Shutdown(context.Background())
	require.NoError(t, err)
	assertAllOnce(t, n, part, rest)
	assert.Empty(t, tm.Stop(), "nothing is left")
	assert.Zero(t, tm.Pending())
}

func TestShutdownThatEndedEarlyLeavesTheRestToStop(t *testing.T) {
	const n = 300_000
	tm := crowded(n)
	ended, end := context.WithCancel(context.Background())
	end()
	part, _ := tm.Shutdown(ended)
	assertAllOnce(t, n, part, tm.Stop())
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

// observedContext is a context that never ends. It calls observe when Shutdown reads its error, which is between
// two portions of the timeouts that Shutdown collects.
type observedContext struct {
	context.Context
	observe func()
}

func (c observedContext) Err() error { c.observe(); return nil }

// A goroutine that waits for a channel of After must not wait until Shutdown has collected a million timeouts.
func TestShutdownClosesChannelsOfAfterBeforeItHasCollectedAll(t *testing.T) {
	tm := crowded(2 * limits.Portion * limits.Portion)
	after, looks := tm.After(time.Hour), 0
	_, err := tm.Shutdown(observedContext{context.Background(), func() {
		looks++
		select {
		case <-after:
		default:
			assert.Fail(t, "the channel is open while Shutdown collects")
		}
	}})
	require.NoError(t, err)
	assert.Positive(t, looks)
}
