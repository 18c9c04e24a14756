// Package prometheus exports the Stats of a Timer by github.com/prometheus/client_golang.
package prometheus

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
)

// A collector exports the Stats of a Timer. All metrics of a scrape are from one call of Stats, which costs as much as
// Timer.Pending. Two rules for alerts, for a tick of 10 ms and deadlines that may be 50 ms late. Use a bound that is at
// least twice the tick:
//
//   - alert: TimeoutsOverdue # an executor blocks the Timer, or the machine is overloaded
//     expr: hashedwheel_overdue_seconds > 0.05
//   - alert: TimeoutsLate # more than 1% of the tasks were handed out more than 51.2 ms after their deadlines
//     expr: |
//     rate(hashedwheel_lateness_seconds_bucket{le="0.0512"}[5m])
//     < ignoring(le) 0.99 * rate(hashedwheel_lateness_seconds_count[5m])
//
// The average lateness is rate(hashedwheel_lateness_seconds_sum[5m]) / rate(hashedwheel_lateness_seconds_count[5m]).
type collector struct {
	timer *hashedwheel.Timer

	pending, maxPending, stopped, expired, rejected, panics, wakeups, lateness, overdue *prometheus.Desc
}

// NewCollector returns a collector to register. The name is the label of the Timer.
func NewCollector(timer *hashedwheel.Timer, name string) prometheus.Collector {
	desc := func(metric, help string) *prometheus.Desc {
		return prometheus.NewDesc("hashedwheel_"+metric, help, nil, prometheus.Labels{"timer": name})
	}
	return &collector{
		timer:      timer,
		pending:    desc("pending", "Timeouts that are pending."),
		maxPending: desc("max_pending", "How many timeouts may be pending; 0 if there is no bound."),
		stopped:    desc("stopped", "Whether the Timer has been stopped."),
		expired:    desc("expired_total", "Tasks that were handed out."),
		rejected:   desc("rejected_total", "Armings that were refused."),
		panics:     desc("panics_total", "Tasks that panicked, with a panic handler."),
		wakeups:    desc("wakeups_total", "Calls of the worker by its alarm."),
		lateness:   desc("lateness_seconds", "How long after its deadline each task was handed out."),
		overdue:    desc("overdue_seconds", "How long the oldest due timeout has waited for its turn."),
	}
}

// Describe is called when the collector is registered.
func (c *collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect is called for each scrape, also by several goroutines at the same time.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.timer.Stats()
	gauge := func(d *prometheus.Desc, value float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value uint64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
	}
	stopped := 0.0
	if s.Stopped {
		stopped = 1
	}
	gauge(c.pending, float64(s.Pending))
	gauge(c.maxPending, float64(s.MaxPending))
	gauge(c.stopped, stopped)
	counter(c.expired, s.Expired)
	counter(c.rejected, s.Rejected)
	counter(c.panics, s.Panics)
	counter(c.wakeups, s.Wakeups)
	ch <- prometheus.MustNewConstHistogram(c.lateness, s.Expired, seconds(s.LatenessSum), cumulative(s.Lateness))
	gauge(c.overdue, seconds(s.Overdue))
}

// cumulative returns for each bound in seconds the number of tasks up to it. The last bucket has no bound here.
func cumulative(buckets []hashedwheel.LatenessBucket) map[float64]uint64 {
	counts, count := map[float64]uint64{}, uint64(0)
	for _, b := range buckets[:len(buckets)-1] {
		count += b.Count
		counts[seconds(b.UpTo)] = count
	}
	return counts
}

func seconds(d time.Duration) float64 { return float64(d) / 1e9 } // Seconds would make 1.6384 s 1.6383999999999999
