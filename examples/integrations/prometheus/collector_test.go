package main

import (
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// usedTimer returns a Timer with two expired timeouts, of which one panicked, two canceled, five
// pending and one rejected.
func usedTimer(t *testing.T) *hashedwheel.Timer {
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

const usedMetrics = `
# HELP hashedwheel_lag_max_seconds The greatest lag since the Timer was made.
# TYPE hashedwheel_lag_max_seconds gauge
hashedwheel_lag_max_seconds{timer="test"} 0
# HELP hashedwheel_lateness_seconds How late tasks were handed out; the sum is not known.
# TYPE hashedwheel_lateness_seconds histogram
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0001"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0002"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0004"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0008"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0016"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0032"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0064"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0128"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0256"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0512"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.1024"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.2048"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.4096"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="0.8192"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="1.6384"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="3.2768"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="6.5536"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="13.1072"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="26.2144"} 2
hashedwheel_lateness_seconds_bucket{timer="test",le="+Inf"} 2
hashedwheel_lateness_seconds_sum{timer="test"} NaN
hashedwheel_lateness_seconds_count{timer="test"} 2
# HELP hashedwheel_overdue_seconds How long the oldest due timeout has waited for its turn.
# TYPE hashedwheel_overdue_seconds gauge
hashedwheel_overdue_seconds{timer="test"} 0
# HELP hashedwheel_task_panics_total Tasks that panicked, with a panic handler.
# TYPE hashedwheel_task_panics_total counter
hashedwheel_task_panics_total{timer="test"} 1
# HELP hashedwheel_timeouts_ended_total Timeouts that expired, were canceled or were rejected.
# TYPE hashedwheel_timeouts_ended_total counter
hashedwheel_timeouts_ended_total{outcome="canceled",timer="test"} 2
hashedwheel_timeouts_ended_total{outcome="expired",timer="test"} 2
hashedwheel_timeouts_ended_total{outcome="rejected",timer="test"} 1
# HELP hashedwheel_timeouts_pending Timeouts that are pending.
# TYPE hashedwheel_timeouts_pending gauge
hashedwheel_timeouts_pending{timer="test"} 5
# HELP hashedwheel_wakeups_total Times the worker woke from a sleep.
# TYPE hashedwheel_wakeups_total counter
hashedwheel_wakeups_total{timer="test"} 0
`

// A pedantic registry also checks that Collect agrees with Describe.
func TestMetricsOverHTTPAreStats(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(newCollector(usedTimer(t), "test"))
	e, err := listen(registry)
	require.NoError(t, err)
	defer e.close()

	body, err := e.scrape()
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(usedMetrics, "\n"), body)
}

func TestMetricsAreNamedByTheRules(t *testing.T) {
	problems, err := testutil.CollectAndLint(newCollector(usedTimer(t), "test"))
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestCollectorsDifferByName(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(newCollector(usedTimer(t), "one")))
	require.NoError(t, registry.Register(newCollector(usedTimer(t), "another")))
	require.Error(t, registry.Register(newCollector(usedTimer(t), "one")))

	n, err := testutil.GatherAndCount(registry, "hashedwheel_timeouts_ended_total")
	require.NoError(t, err)
	require.Equal(t, 2*3, n)
}

func TestHistogramIsCumulativeAndItsLastCountHasNoBound(t *testing.T) {
	count, buckets := histogram([20]uint64{0: 5, 1: 2, 18: 1, 19: 3})
	require.EqualValues(t, 11, count)
	require.Len(t, buckets, 19)
	require.EqualValues(t, 5, buckets[0.0001])
	require.EqualValues(t, 7, buckets[0.0002])
	require.EqualValues(t, 8, buckets[26.2144])
}
