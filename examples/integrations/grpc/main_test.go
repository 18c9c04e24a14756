package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunReportsEveryLateCall(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-callers 4 -limit 40ms -duration 300ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)

	out := stdout.String()
	require.Contains(t, out, "late:     /grpc.health.v1.Health/Check in flight for ")
	require.Regexp(t, `returned: /grpc.health.v1.Health/Check after .*, OK`, out)
	require.Regexp(t, `returned: /grpc.health.v1.Health/Check after .*, DeadlineExceeded`, out)
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-callers 0", "-callers 0"},
		{"-limit 1us", "-limit 1µs"},
		{"-limit 1s", "-limit 1s"},
		{"-tick 99us", "-tick 99µs"},
		{"-limit 10ms -tick 20ms", "-tick 20ms"},
		{"-duration 0s", "-duration 0s"},
		{"-duration 1h", "-duration 1h"},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
}

// watched makes one call through a watcher whose limit is a second. Before the call
// returns, during is called. What the watcher said comes back.
func watched(t *testing.T, during func(*hashedwheel.Timer, *hashedwheel.ManualClock)) (said []string) {
	t.Helper()
	clock := hashedwheel.NewManualClock(time.Now())
	timer := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	w := newWatcher(timer, time.Second)
	w.onLate = func(method string, _ time.Duration) { said = append(said, method+" is late") }
	w.onReturn = func(method string, _ time.Duration, err error) {
		said = append(said, method+" returned "+err.Error())
	}
	broken := errors.New("broken")
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
		during(timer, clock)
		return broken
	}
	require.ErrorIs(t, w.unary(t.Context(), "/some/Call", nil, nil, nil, invoke), broken)
	clock.Advance(time.Hour)
	require.Zero(t, timer.Pending())
	return said
}

func TestCallInTimeIsNotReported(t *testing.T) {
	require.Empty(t, watched(t, func(*hashedwheel.Timer, *hashedwheel.ManualClock) {}))
}

func TestLateCallIsReportedInFlightAndWhenItReturns(t *testing.T) {
	said := watched(t, func(_ *hashedwheel.Timer, clock *hashedwheel.ManualClock) { clock.Advance(time.Minute) })
	require.Equal(t, []string{"/some/Call is late", "/some/Call returned broken"}, said)
}

func TestCallsGoOnUnwatchedWhenTheTimerIsStopped(t *testing.T) {
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

func TestVerdict(t *testing.T) {
	good := func() *report {
		return &report{
			limit: 10, fast: 9, slow: 1, hung: 1, expired: 2,
			late: []time.Duration{10, 11}, returned: []time.Duration{30, 40},
		}
	}
	require.NoError(t, good().verdict())

	tests := map[string]struct {
		spoil func(*report)
		want  string
	}{
		"a late call not reported": {func(r *report) { r.slow = 2 }, "2 calls reported late, but 3 were"},
		"a call reported early":    {func(r *report) { r.late[0] = 9 }, "before the limit"},
		"a call reported twice":    {func(r *report) { r.late = append(r.late, 12) }, "but 2 timeouts expired"},
		"a call that never ended":  {func(r *report) { r.returned = r.returned[1:] }, "of which 1 returned"},
		"a call that failed":       {func(r *report) { r.failed = []error{io.EOF} }, "EOF"},
		"a timeout left behind":    {func(r *report) { r.left = 1 }, "outlived"},
		"no late call":             {func(r *report) { *r = report{fast: 9} }, "nothing was shown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.spoil(r)
			require.ErrorContains(t, r.verdict(), tt.want)
		})
	}
}
