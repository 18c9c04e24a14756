package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunScrapesWhatWasDone(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-timeouts 200 -duration 300ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)
	require.Contains(t, stdout.String(), `hashedwheel_timeouts_settled_total{outcome="expired",timer="calls"}`)
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-timeouts 99", "-timeouts 99"},
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

// settledTimer returns a Timer on which one timeout has expired, one has expired
// and panicked, two were cancelled, five are pending and one was refused.
func settledTimer(t *testing.T) *hashedwheel.Timer {
	t.Helper()
	clock := hashedwheel.NewManualClock(time.Now())
	timer := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}),
		hashedwheel.WithMaxPending(5),
	)
	timer.AfterFunc(time.Second, func() {})
	timer.AfterFunc(time.Second, func() { panic("on purpose") })
	clock.Advance(2 * time.Second)
	for range 2 {
		require.True(t, timer.AfterFunc(time.Second, func() {}).Stop())
	}
	for range 5 {
		timer.AfterFunc(time.Hour, func() {})
	}
	require.Equal(t, hashedwheel.Rejected, timer.AfterFunc(time.Hour, func() {}).State())
	return timer
}

const settledMetrics = `
# HELP hashedwheel_lag_max_seconds The greatest lag since the Timer was made.
# TYPE hashedwheel_lag_max_seconds gauge
hashedwheel_lag_max_seconds{timer="test"} 0
# HELP hashedwheel_lag_seconds How late the last batch of timeouts was handed out.
# TYPE hashedwheel_lag_seconds gauge
hashedwheel_lag_seconds{timer="test"} 0
# HELP hashedwheel_overdue_seconds How long the oldest due timeout has been waiting for its turn.
# TYPE hashedwheel_overdue_seconds gauge
hashedwheel_overdue_seconds{timer="test"} 0
# HELP hashedwheel_task_panics_total Tasks that panicked, with a panic handler.
# TYPE hashedwheel_task_panics_total counter
hashedwheel_task_panics_total{timer="test"} 1
# HELP hashedwheel_timeouts_pending Timeouts that are armed and not settled.
# TYPE hashedwheel_timeouts_pending gauge
hashedwheel_timeouts_pending{timer="test"} 5
# HELP hashedwheel_timeouts_settled_total Timeouts that expired, were cancelled or were refused.
# TYPE hashedwheel_timeouts_settled_total counter
hashedwheel_timeouts_settled_total{outcome="cancelled",timer="test"} 2
hashedwheel_timeouts_settled_total{outcome="expired",timer="test"} 2
hashedwheel_timeouts_settled_total{outcome="rejected",timer="test"} 1
# HELP hashedwheel_wakeups_total Times the worker woke from a sleep.
# TYPE hashedwheel_wakeups_total counter
hashedwheel_wakeups_total{timer="test"} 0
`

// A pedantic registry also checks that Collect keeps to what Describe says.
func TestMetricsOverHTTPAreStats(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(newCollector(settledTimer(t), "test"))
	e, err := listen(registry)
	require.NoError(t, err)
	defer e.close()

	body, err := e.scrape()
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(settledMetrics, "\n"), body)
}

func TestMetricsAreNamedByTheRules(t *testing.T) {
	problems, err := testutil.CollectAndLint(newCollector(settledTimer(t), "test"))
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestTimersAreToldApartByName(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(newCollector(settledTimer(t), "one")))
	require.NoError(t, registry.Register(newCollector(settledTimer(t), "another")))
	require.Error(t, registry.Register(newCollector(settledTimer(t), "one")))

	n, err := testutil.GatherAndCount(registry, "hashedwheel_timeouts_settled_total")
	require.NoError(t, err)
	require.Equal(t, 2*3, n)
}

func TestWrongMetricsAreNoticed(t *testing.T) {
	l := load{name: "test", armed: 4, cancelled: 2}
	metrics := strings.NewReplacer("pending{timer=\"test\"} 5", "pending{timer=\"test\"} 0",
		`"rejected",timer="test"} 1`, `"rejected",timer="test"} 0`).Replace(settledMetrics)
	require.NoError(t, l.verdict(metrics))

	require.ErrorContains(t, l.verdict(settledMetrics), `no "hashedwheel_timeouts_pending{timer=\"test\"} 0"`)
	l.armed++
	require.ErrorContains(t, l.verdict(metrics), "expired")
}
