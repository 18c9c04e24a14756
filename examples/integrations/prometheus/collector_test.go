package prometheus

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// usedTimer returns a Timer with two expired timeouts, of which one panicked and one was 150 µs late, five pending and
// one rejected.
func usedTimer(t *testing.T) *hashedwheel.Timer {
	t.Helper()
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}),
		hashedwheel.WithMaxPending(5),
	)
	tm.AfterFunc(time.Second-150*time.Microsecond, func() {})
	tm.AfterFunc(time.Second, func() { panic("on purpose") })
	clock.Advance(2 * time.Second)
	for range 6 {
		tm.AfterFunc(time.Hour, func() {})
	}
	return tm
}

const usedMetrics = `
# HELP hashedwheel_expired_total Tasks that were handed out.
# TYPE hashedwheel_expired_total counter
hashedwheel_expired_total{timer="test"} 2
# HELP hashedwheel_lateness_seconds How long after its deadline each task was handed out.
# TYPE hashedwheel_lateness_seconds histogram
hashedwheel_lateness_seconds_bucket{timer="test",le="0.0001"} 1
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
hashedwheel_lateness_seconds_sum{timer="test"} 0.00015
hashedwheel_lateness_seconds_count{timer="test"} 2
# HELP hashedwheel_max_pending How many timeouts may be pending; 0 if there is no bound.
# TYPE hashedwheel_max_pending gauge
hashedwheel_max_pending{timer="test"} 5
# HELP hashedwheel_overdue_seconds How long the oldest due timeout has waited for its turn.
# TYPE hashedwheel_overdue_seconds gauge
hashedwheel_overdue_seconds{timer="test"} 0
# HELP hashedwheel_panics_total Tasks that panicked, with a panic handler.
# TYPE hashedwheel_panics_total counter
hashedwheel_panics_total{timer="test"} 1
# HELP hashedwheel_pending Timeouts that are pending.
# TYPE hashedwheel_pending gauge
hashedwheel_pending{timer="test"} 5
# HELP hashedwheel_rejected_total Armings that were refused.
# TYPE hashedwheel_rejected_total counter
hashedwheel_rejected_total{timer="test"} 1
# HELP hashedwheel_stopped Whether the Timer has been stopped.
# TYPE hashedwheel_stopped gauge
hashedwheel_stopped{timer="test"} 0
# HELP hashedwheel_wakeups_total Calls of the worker by its alarm.
# TYPE hashedwheel_wakeups_total counter
hashedwheel_wakeups_total{timer="test"} 0
`

// A pedantic registry also checks that Collect agrees with Describe, and that no two collectors have the same labels.
func TestMetricsAreTheStats(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(usedTimer(t), "test")))
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(usedMetrics)))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)

	require.NoError(t, registry.Register(NewCollector(usedTimer(t), "another")))
	require.Error(t, registry.Register(NewCollector(usedTimer(t), "test")))
}

func TestHistogramIsCumulativeAndItsLastBucketHasNoBound(t *testing.T) {
	counts := cumulative([]hashedwheel.LatenessBucket{
		{UpTo: 100 * time.Microsecond, Count: 5},
		{UpTo: 200 * time.Microsecond, Count: 2},
		{UpTo: math.MaxInt64, Count: 3},
	})
	require.Equal(t, map[float64]uint64{0.0001: 5, 0.0002: 7}, counts)
}
