package otel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// collected returns the metrics that a reader of the SDK gets of a Timer named "test" after use: the values of the
// gauges and sums, and the histogram.
func collected(t *testing.T, use func(tm *hashedwheel.Timer, clock *hashedwheel.ManualClock)) (
	map[string]float64, metricdata.HistogramDataPoint[float64],
) {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}),
		hashedwheel.WithMaxPending(5),
		hashedwheel.WithTick(2*time.Millisecond), // in whose tenths 150 µs is rounded up
	)
	reader := metric.NewManualReader(metric.WithProducer(NewProducer(tm, "test")))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	start := time.Now()
	time.Sleep(2 * time.Second)
	use(tm, clock)
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.NoError(t, provider.Shutdown(t.Context()))
	require.Len(t, all.ScopeMetrics, 1)
	require.Equal(t, "github.com/hashedwheel/hashedwheel", all.ScopeMetrics[0].Scope.Name)

	values, lateness := map[string]float64{}, metricdata.HistogramDataPoint[float64]{}
	name := attribute.NewSet(attribute.String("timer", "test"))
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Gauge[int64]:
			require.Equal(t, metricdata.DataPoint[int64]{
				Attributes: name, Time: time.Now(), Value: data.DataPoints[0].Value,
			}, data.DataPoints[0])
			values["gauge "+m.Name+" "+m.Unit] = float64(data.DataPoints[0].Value)
		case metricdata.Gauge[float64]:
			require.Equal(t, metricdata.DataPoint[float64]{
				Attributes: name, Time: time.Now(), Value: data.DataPoints[0].Value,
			}, data.DataPoints[0])
			values["gauge "+m.Name+" "+m.Unit] = data.DataPoints[0].Value
		case metricdata.Sum[int64]:
			require.True(t, data.IsMonotonic)
			require.Equal(t, metricdata.CumulativeTemporality, data.Temporality)
			require.Equal(t, metricdata.DataPoint[int64]{
				Attributes: name, StartTime: start, Time: time.Now(), Value: data.DataPoints[0].Value,
			}, data.DataPoints[0])
			values["sum "+m.Name+" "+m.Unit] = float64(data.DataPoints[0].Value)
		case metricdata.Histogram[float64]:
			require.Equal(t, metricdata.CumulativeTemporality, data.Temporality)
			lateness = data.DataPoints[0]
			require.Equal(t, "hashedwheel.lateness s", m.Name+" "+m.Unit)
			require.Equal(t, name, lateness.Attributes)
			require.Equal(t, []time.Time{start, time.Now()}, []time.Time{lateness.StartTime, lateness.Time})
		}
	}
	return values, lateness
}

var nop = hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})

// Two timeouts have expired, of which one panicked and one was 150 µs late; five are pending and one was rejected.
func TestMetricsAreTheStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		values, lateness := collected(t, func(tm *hashedwheel.Timer, clock *hashedwheel.ManualClock) {
			tm.AfterFunc(time.Second-150*time.Microsecond, func() {})
			tm.AfterFunc(time.Second, func() { panic("on purpose") })
			clock.Advance(2 * time.Second)
			for range 6 {
				_, _ = tm.Schedule(time.Hour, nop) // the last is refused
			}
		})
		require.Equal(t, map[string]float64{
			"gauge hashedwheel.pending {timeout}":     5,
			"gauge hashedwheel.max_pending {timeout}": 5,
			"gauge hashedwheel.stopped 1":             0,
			"sum hashedwheel.expired {task}":          2,
			"sum hashedwheel.rejected {arming}":       1,
			"sum hashedwheel.panics {task}":           1,
			"sum hashedwheel.wakeups {call}":          0,
			"gauge hashedwheel.overdue s":             0,
		}, values)
		require.EqualValues(t, 2, lateness.Count)
		require.Equal(t, 0.00015, lateness.Sum)
		require.Equal(t, []float64{0.0001, 0.0002, 0.0004}, lateness.Bounds[:3])
		require.Equal(t, []uint64{1, 1, 0}, lateness.BucketCounts[:3])
		require.Len(t, lateness.BucketCounts, len(lateness.Bounds)+1, "the last bucket has no bound")
	})
}

func TestMetricsOfAStoppedTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		values, lateness := collected(t, func(tm *hashedwheel.Timer, _ *hashedwheel.ManualClock) { tm.Stop() })
		require.Equal(t, 1.0, values["gauge hashedwheel.stopped 1"])
		require.Zero(t, lateness.Count)
	})
}
