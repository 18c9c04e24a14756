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

// collect returns the metrics that a reader of the SDK receives, by name and unit.
func collect(t *testing.T, reader metric.Reader) map[string]metricdata.Aggregation {
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics, 1)
	require.Equal(t, "github.com/hashedwheel/hashedwheel", all.ScopeMetrics[0].Scope.Name)
	metrics := map[string]metricdata.Aggregation{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		metrics[m.Name+" "+m.Unit] = m.Data
	}
	return metrics
}

// Two timeouts have expired, of which one panicked and one was 150 µs late; five are pending and one was rejected.
func TestMetricsAreTheStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := hashedwheel.NewManualClock(time.Now())
		tm := hashedwheel.MustNew(
			hashedwheel.WithClock(clock),
			hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}),
			hashedwheel.WithMaxPending(5),
			hashedwheel.WithTick(2*time.Millisecond),
		)
		reader := metric.NewManualReader(metric.WithProducer(NewProducer(tm, "test")))
		metric.NewMeterProvider(metric.WithReader(reader))
		start := time.Now()
		time.Sleep(2 * time.Second)
		clock.Advance(time.Second)
		new(hashedwheel.Timeout).InitFunc(tm, func() {}).ResetAt(clock.Now().Add(-150 * time.Microsecond))
		tm.AfterFunc(time.Second, func() { panic("on purpose") })
		clock.Advance(time.Second)
		for range 6 {
			_, _ = tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})) // the last is refused
		}

		name := attribute.NewSet(attribute.String("timer", "test"))
		gauge := func(value int64) metricdata.Aggregation {
			point := metricdata.DataPoint[int64]{Attributes: name, Time: time.Now(), Value: value}
			return metricdata.Gauge[int64]{DataPoints: []metricdata.DataPoint[int64]{point}}
		}
		sum := func(value int64) metricdata.Aggregation {
			point := metricdata.DataPoint[int64]{Attributes: name, StartTime: start, Time: time.Now(), Value: value}
			return metricdata.Sum[int64]{
				DataPoints:  []metricdata.DataPoint[int64]{point},
				Temporality: metricdata.CumulativeTemporality,
				IsMonotonic: true,
			}
		}
		metrics := collect(t, reader)
		lateness := metrics["hashedwheel.lateness s"].(metricdata.Histogram[float64])
		delete(metrics, "hashedwheel.lateness s")
		require.Equal(t, map[string]metricdata.Aggregation{
			"hashedwheel.pending {timeout}":     gauge(5),
			"hashedwheel.max_pending {timeout}": gauge(5),
			"hashedwheel.stopped 1":             gauge(0),
			"hashedwheel.expired {task}":        sum(2),
			"hashedwheel.rejected {arming}":     sum(1),
			"hashedwheel.panics {task}":         sum(1),
			"hashedwheel.wakeups {call}":        sum(0),
			"hashedwheel.overdue s": metricdata.Gauge[float64]{
				DataPoints: []metricdata.DataPoint[float64]{{Attributes: name, Time: time.Now()}},
			},
		}, metrics)

		require.Equal(t, metricdata.CumulativeTemporality, lateness.Temporality)
		point := lateness.DataPoints[0]
		require.Len(t, point.BucketCounts, len(point.Bounds)+1, "the last bucket has no bound")
		point.Bounds, point.BucketCounts = point.Bounds[:3], point.BucketCounts[:3]
		require.Equal(t, metricdata.HistogramDataPoint[float64]{
			Attributes: name, StartTime: start, Time: time.Now(), Count: 2, Sum: 0.00015,
			Bounds: []float64{0.0001, 0.0002, 0.0004}, BucketCounts: []uint64{1, 1, 0},
		}, point)

		tm.StopAll()
		require.Equal(t, gauge(1), collect(t, reader)["hashedwheel.stopped 1"])
	})
}
