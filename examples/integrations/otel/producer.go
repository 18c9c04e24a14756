// Package otel exports the Stats of a Timer with go.opentelemetry.io/otel/sdk/metric.
package otel

import (
	"context"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// A producer exports the Stats of a Timer. All metrics of a collection come from one call of Stats, which costs as much
// as Timer.Pending.
type producer struct {
	timer *hashedwheel.Timer
	name  attribute.Set
	start time.Time
}

// NewProducer returns a Producer for metric.WithProducer of a reader. name is the value of the attribute "timer". Make
// the Producer when you make the Timer: that time is the start of all sums, which are cumulative for every reader.
func NewProducer(timer *hashedwheel.Timer, name string) metric.Producer {
	return &producer{timer, attribute.NewSet(attribute.String("timer", name)), time.Now()}
}

// Produce is called for each collection, and may be called concurrently.
func (p *producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	s, now, stopped := p.timer.Stats(), time.Now(), 0
	if s.Stopped {
		stopped = 1
	}
	gauge := func(value int) metricdata.Aggregation {
		return metricdata.Gauge[int64]{DataPoints: []metricdata.DataPoint[int64]{
			{Attributes: p.name, Time: now, Value: int64(value)},
		}}
	}
	counter := func(value uint64) metricdata.Aggregation {
		return metricdata.Sum[int64]{
			DataPoints: []metricdata.DataPoint[int64]{
				{Attributes: p.name, StartTime: p.start, Time: now, Value: int64(value)},
			},
			Temporality: metricdata.CumulativeTemporality,
			IsMonotonic: true,
		}
	}
	overdue := metricdata.Gauge[float64]{DataPoints: []metricdata.DataPoint[float64]{
		{Attributes: p.name, Time: now, Value: seconds(s.Overdue)},
	}}
	described := func(name, description, unit string, data metricdata.Aggregation) metricdata.Metrics {
		return metricdata.Metrics{Name: "hashedwheel." + name, Description: description, Unit: unit, Data: data}
	}
	metrics := []metricdata.Metrics{
		described("pending", "Pending timeouts.", "{timeout}", gauge(s.Pending)),
		described("max_pending", "Bound on pending timeouts; 0: no bound.", "{timeout}", gauge(s.MaxPending)),
		described("stopped", "Whether the Timer has been stopped.", "1", gauge(stopped)),
		described("expired", "Tasks that were dispatched.", "{task}", counter(s.Expired)),
		described("rejected", "Armings that were refused.", "{arming}", counter(s.Rejected)),
		described("panics", "Tasks that panicked, with a panic handler.", "{task}", counter(s.Panics)),
		described("wakeups", "Wake-ups of the worker.", "{call}", counter(s.Wakeups)),
		described("lateness", "Lateness of tasks: time from the deadline to the dispatch.", "s", p.histogram(s, now)),
		described("overdue", "Time that the oldest due timeout has waited.", "s", overdue),
	}
	scope := instrumentation.Scope{Name: "github.com/hashedwheel/hashedwheel"}
	return []metricdata.ScopeMetrics{{Scope: scope, Metrics: metrics}}, nil
}

// histogram returns the lateness in seconds. In OpenTelemetry the last bucket has no bound.
func (p *producer) histogram(s hashedwheel.Stats, now time.Time) metricdata.Aggregation {
	point := metricdata.HistogramDataPoint[float64]{
		Attributes: p.name, StartTime: p.start, Time: now, Count: s.Expired, Sum: seconds(s.LatenessSum),
	}
	for i, b := range s.Lateness {
		if i < len(s.Lateness)-1 {
			point.Bounds = append(point.Bounds, seconds(b.UpTo))
		}
		point.BucketCounts = append(point.BucketCounts, b.Count)
	}
	return metricdata.Histogram[float64]{
		DataPoints:  []metricdata.HistogramDataPoint[float64]{point},
		Temporality: metricdata.CumulativeTemporality,
	}
}

func seconds(d time.Duration) float64 { return float64(d) / 1e9 } // Seconds would make 1.6384 s 1.6383999999999999
