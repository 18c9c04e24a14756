package prometheus

import (
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// usedTimer returns a Timer with two expired timeouts, of which one panicked, five pending and one rejected.
func usedTimer(t *testing.T) *hashedwheel.Timer {
	t.Helper()
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}),
		hashedwheel.WithMaxPending(5),
	)
	tm.AfterFunc(time.Second, func() {})
	tm.AfterFunc(time.Second, func() { panic("on purpose") })
	clock.Advance(2 * time.Second)
	for range 6 {
		tm.AfterFunc(time.Hour, func() {})
	}
	return tm
}

const usedMetrics = `
# HELP hashedwheel_lag_max_seconds The greatest lag since the Timer was made.
# TYPE hashedwheel_lag_max_seconds gauge
hashedwheel_lag_max_seconds{timer="test"} 0
# HELP hashedwheel_overdue_seconds How long the oldest due timeout has waited for its turn.
# TYPE hashedwheel_overdue_seconds gauge
hashedwheel_overdue_seconds{timer="test"} 0
# HELP hashedwheel_task_panics_total Tasks that panicked, with a panic handler.
# TYPE hashedwheel_task_panics_total counter
hashedwheel_task_panics_total{timer="test"} 1
# HELP hashedwheel_timeouts_ended_total Timeouts that expired or were rejected.
# TYPE hashedwheel_timeouts_ended_total counter
hashedwheel_timeouts_ended_total{outcome="expired",timer="test"} 2
hashedwheel_timeouts_ended_total{outcome="rejected",timer="test"} 1
# HELP hashedwheel_timeouts_pending Timeouts that are pending.
# TYPE hashedwheel_timeouts_pending gauge
hashedwheel_timeouts_pending{timer="test"} 5
# HELP hashedwheel_wakeups_total Calls of the worker by its alarm.
# TYPE hashedwheel_wakeups_total counter
hashedwheel_wakeups_total{timer="test"} 0
`

// A pedantic registry also checks that Collect agrees with Describe, and that no two collectors have the same labels.
func TestMetricsAreTheStats(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(usedTimer(t), "test")))
	var names []string
	for line := range strings.Lines(usedMetrics) {
		if name, ok := strings.CutPrefix(line, "# HELP "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(usedMetrics), names...))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	all, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, all, len(names)+1, "the histogram is the one that is not compared")

	require.NoError(t, registry.Register(NewCollector(usedTimer(t), "another")))
	require.Error(t, registry.Register(NewCollector(usedTimer(t), "test")))
}

func TestHistogramIsCumulativeAndItsLastCountHasNoBound(t *testing.T) {
	count, buckets := histogram([20]uint64{0: 5, 1: 2, 18: 1, 19: 3})
	require.EqualValues(t, 11, count)
	require.Len(t, buckets, 19)
	require.EqualValues(t, 5, buckets[0.0001])
	require.EqualValues(t, 7, buckets[0.0002])
	require.EqualValues(t, 8, buckets[26.2144])
}
