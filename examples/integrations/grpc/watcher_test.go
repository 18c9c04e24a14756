package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
)

// watched makes a call under a watcher with a limit of a second, and calls during before the call
// returns. It returns the watcher's reports.
func watched(t *testing.T, during func(*hashedwheel.Timer, *hashedwheel.ManualClock)) (reports []string) {
	t.Helper()
	clock := hashedwheel.NewManualClock(time.Now())
	timer := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	w := newWatcher(timer, time.Second)
	w.onLate = func(method string, _ time.Duration) { reports = append(reports, method+" is late") }
	w.onReturn = func(method string, _ time.Duration, err error) {
		reports = append(reports, method+" returned "+err.Error())
	}
	broken := errors.New("broken")
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
		during(timer, clock)
		return broken
	}
	require.ErrorIs(t, w.unary(t.Context(), "/some/Call", nil, nil, nil, invoke), broken)
	clock.Advance(time.Hour)
	require.Zero(t, timer.Pending())
	return reports
}

func TestCallInTimeIsNotReported(t *testing.T) {
	require.Empty(t, watched(t, func(*hashedwheel.Timer, *hashedwheel.ManualClock) {}))
}

func TestLateCallIsReportedInFlightAndWhenItReturns(t *testing.T) {
	reports := watched(t, func(_ *hashedwheel.Timer, clock *hashedwheel.ManualClock) { clock.Advance(time.Minute) })
	require.Equal(t, []string{"/some/Call is late", "/some/Call returned broken"}, reports)
}

func TestCallsSucceedUnwatchedOnAStoppedTimer(t *testing.T) {
	require.Empty(t, watched(t, func(timer *hashedwheel.Timer, clock *hashedwheel.ManualClock) {
		timer.Stop()
		clock.Advance(time.Minute)
	}))
}

func TestWatchingDoesNotAllocate(t *testing.T) {
	timer := hashedwheel.MustNew()
	defer timer.Stop()
	w := newWatcher(timer, time.Hour)
	allocs := testing.AllocsPerRun(1000, func() { w.end(w.begin("/some/Call"), nil) })
	require.Zero(t, allocs)
}
