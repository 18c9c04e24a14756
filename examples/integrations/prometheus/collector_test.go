package prometheus

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// Two timeouts have expired, of which one panicked and one was 150 µs late; five are pending and one was rejected. A
// pedantic registry also checks that Collect agrees with Describe, and that no two collectors have the same labels.
func TestMetricsAreTheStats(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}),
		hashedwheel.WithMaxPending(5),
		hashedwheel.WithTick(2*time.Millisecond),
	)
	clock.Advance(time.Second)
	new(hashedwheel.Timeout).InitFunc(tm, func() {}).ResetAt(clock.Now().Add(-150 * time.Microsecond))
	tm.AfterFunc(time.Second, func() { panic("on purpose") })
	clock.Advance(time.Second)
	for range 6 {
		_, _ = tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})) // the last is refused
	}

	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(tm, "test")))
	metrics, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, m := range metrics {
		only := m.GetMetric()[0]
		lateness := only.GetHistogram()
		values[m.GetName()] = only.GetGauge().GetValue() + only.GetCounter().GetValue() + lateness.GetSampleSum()
		if lateness != nil {
			require.EqualValues(t, 2, lateness.GetSampleCount())
			buckets := lateness.GetBucket()
			require.Len(t, buckets, len(tm.Stats().Lateness)-1, "the last bucket has no bound")
			require.EqualValues(t, 1, buckets[0].GetCumulativeCount(), "up to 100 µs")
			require.EqualValues(t, 2, buckets[1].GetCumulativeCount(), "up to 200 µs")
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

	require.NoError(t, registry.Register(NewCollector(tm, "another")))
	require.Error(t, registry.Register(NewCollector(tm, "test")))
}
