package main

import (
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// The loop has only timeouts, and each arms the next. The tasks write without a lock: the race
// detector checks that they need none.
func TestLoopSleepsUntilEachTimeoutIsDue(t *testing.T) {
	const tick = 10 * time.Millisecond
	now := time.Unix(1000, 0)
	w, err := newLoopWheel(now, tick)
	require.NoError(t, err)

	var ran []time.Duration
	due := now
	var to hashedwheel.Timeout
	arm := func() {
		due = now.Add(33 * time.Millisecond)
		to.ResetAt(due)
	}
	to.InitFunc(w.timer, func() {
		ran = append(ran, now.Sub(due))
		if len(ran) < 50 {
			arm()
		}
	})
	arm()
	sleeps := 0
	for len(ran) < 50 {
		d := w.sleep(now, time.Hour)
		require.Positive(t, d, "a loop that spins")
		require.LessOrEqual(t, d, 33*time.Millisecond+tick)
		now = now.Add(d)
		w.turn(now)
		sleeps++
	}
	for _, late := range ran {
		require.GreaterOrEqual(t, late, time.Duration(0), "early")
		require.LessOrEqual(t, late, tick, "more than a tick late")
	}
	require.Equal(t, 50, sleeps, "a sleep for each timeout")
	require.Equal(t, time.Hour, w.sleep(now, time.Hour), "nothing is pending")
}

func TestLoopSleepsNoLongerThanItsLongestWait(t *testing.T) {
	now := time.Unix(1000, 0)
	w, err := newLoopWheel(now, time.Millisecond)
	require.NoError(t, err)
	var to hashedwheel.Timeout
	to.InitFunc(w.timer, func() {})
	to.ResetAt(now.Add(time.Hour))
	require.Equal(t, time.Second, w.sleep(now, time.Second))
	require.Zero(t, w.sleep(now.Add(2*time.Hour), time.Second), "overdue")
	to.Stop()
}

// An event after the last turn moves its timeout by the time of the event.
func TestLoopNeverEarlyAfterALongWait(t *testing.T) {
	now := time.Unix(1000, 0)
	w, err := newLoopWheel(now, time.Millisecond)
	require.NoError(t, err)
	var ran bool
	var to hashedwheel.Timeout
	to.InitFunc(w.timer, func() { ran = true })
	now = now.Add(time.Minute) // the loop was busy
	to.ResetAt(now.Add(time.Second))
	w.turn(now.Add(time.Second - 1))
	require.False(t, ran, "early")
	w.turn(now.Add(time.Second + time.Millisecond))
	require.True(t, ran)
}

func TestRunWithTheLoopDrivingTheWheel(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-ontick -clients 20 -idle 1s -tick 5ms -duration 3s"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)
	require.Regexp(t, `closed as idle +1\d`, stdout.String())
}
