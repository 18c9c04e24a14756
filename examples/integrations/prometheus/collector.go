// Package prometheus exports the Stats of a Timer with github.com/prometheus/client_golang.
package prometheus

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
)

// A collector exports the Stats of a Timer. All metrics of a scrape come from one call of Stats, which costs as much as
// Timer.Pending. These are two alert rules for a tick of 10 ms and tasks that may be 50 ms late. Alert at no less than
// two ticks:
//
//   - alert: TimeoutsOverdue # an executor blocks the Timer, or the machine is overloaded
//     expr: hashedwheel_overdue_seconds > 0.05
//   - alert: TimeoutsLate # more than 1% of the tasks were dispatched more than 51.2 ms after their deadlines
//     expr: |
//     rate(hashedwheel_lateness_seconds_bucket{le="0.0512"}[5m])
//     < ignoring(le) 0.99 * rate(hashedwheel_lateness_seconds_count[5m])
//
// The average lateness is rate(hashedwheel_lateness_seconds_sum[5m]) / rate(hashedwheel_lateness_seconds_count[5m]).
type collector struct {
	timer *hashedwheel.Timer

	pending, maxPending, stopped, expired, rejected, panics, wakeups, lateness, overdue *prometheus.Desc
}

// NewCollector returns a collector to register. name is the value of the label "timer".
func NewCollector(timer *hashedwheel.Timer, name string) prometheus.Collector {
	desc := func(metric, help string) *prometheus.Desc {
		return prometheus.NewDesc("hashedwheel_"+metric, help, nil, prometheus.Labels{"timer": name})
	}
	return &collector{
		timer:      timer,
		pending:    desc("pending", "Pending timeouts."),
		maxPending: desc("max_pending", "Bound on pending timeouts; 0: no bound."),
		stopped:    desc("stopped", "Whether the Timer has been stopped."),
		expired:    desc("expired_total", "Tasks that were dispatched."),
		rejected:   desc("rejected_total", "Armings that were refused."),
		panics:     desc("panics_total", "Tasks that panicked, with a panic handler."),
		wakeups:    desc("wakeups_total", "Wake-ups of the worker."),
		lateness:   desc("lateness_seconds", "Lateness of tasks: time from the deadline to the dispatch."),
		overdue:    desc("overdue_seconds", "Time that the oldest due timeout has waited."),
	}
}

// Describe is called when the collector is registered.
func (c *collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect is called for each scrape, and may be called concurrently.
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

// cumulative returns the number of tasks up to each bound, in seconds. In Prometheus the last bucket has no bound.
func cumulative(buckets []hashedwheel.LatenessBucket) map[float64]uint64 {
	counts, count := map[float64]uint64{}, uint64(0)
	for _, b := range buckets[:len(buckets)-1] {
		count += b.Count
		counts[seconds(b.UpTo)] = count
	}
	return counts
}

func seconds(d time.Duration) float64 { return float64(d) / 1e9 } // Seconds would make 1.6384 s 1.6383999999999999
