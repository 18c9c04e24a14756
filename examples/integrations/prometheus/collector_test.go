package prometheus

import (
	"math"
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
		hashedwheel.WithTick(2*time.Millisecond), // in whose tenths 150 µs is rounded up
	)
	tm.AfterFunc(time.Second-150*time.Microsecond, func() {})
	tm.AfterFunc(time.Second, func() { panic("on purpose") })
	clock.Advance(2 * time.Second)
	for range 6 {
		_, _ = tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})) // the last is refused
	}
	return tm
}

// A pedantic registry also checks that Collect agrees with Describe, and that no two collectors have the same labels.
func TestMetricsAreTheStats(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(usedTimer(t), "test")))
	metrics, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, m := range metrics {
		only := m.GetMetric()[0]
		lateness := only.GetHistogram()
		values[m.GetName()] = only.GetGauge().GetValue() + only.GetCounter().GetValue() + lateness.GetSampleSum()
		if lateness != nil {
			require.EqualValues(t, 2, lateness.GetSampleCount())
			require.EqualValues(t, 1, lateness.GetBucket()[0].GetCumulativeCount(), "up to 100 µs")
		}
	}
	require.Equal(t, map[string]float64{
		"hashedwheel_pending":          5,
		"hashedwheel_max_pending":      5,
		"hashedwheel_stopped":          0,
		"hashedwheel_expired_total":    2,
		"hashedwheel_rejected_total":   1,
		"hashedwheel_panics_total":     1,
		"hashedwheel_wakeups_total":    0,
		"hashedwheel_lateness_seconds": 0.00015,
		"hashedwheel_overdue_seconds":  0,
	}, values)
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
