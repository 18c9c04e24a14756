// Package prometheus exports the Stats of a Timer by github.com/prometheus/client_golang.
package prometheus

import (
	"math"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
)

// A collector exports the Stats of a Timer. All metrics of a scrape are from one call of Stats, which costs as much as
// Timer.Pending. Alert on hashedwheel_overdue_seconds above two ticks: an executor blocks the Timer, or the machine is
// overloaded.
type collector struct {
	timer *hashedwheel.Timer

	pending, ended, panics, wakeups, lateness, maxLag, overdue *prometheus.Desc
}

// NewCollector returns a collector to register. The name is the label of the Timer.
func NewCollector(timer *hashedwheel.Timer, name string) prometheus.Collector {
	desc := func(metric, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("hashedwheel_"+metric, help, labels, prometheus.Labels{"timer": name})
	}
	return &collector{
		timer:    timer,
		pending:  desc("timeouts_pending", "Timeouts that are pending."),
		ended:    desc("timeouts_ended_total", "Timeouts that expired or were rejected.", "outcome"),
		panics:   desc("task_panics_total", "Tasks that panicked, with a panic handler."),
		wakeups:  desc("wakeups_total", "Calls of the worker by its alarm."),
		lateness: desc("lateness_seconds", "How late tasks were handed out; the sum is not known."),
		maxLag:   desc("lag_max_seconds", "The greatest lag since the Timer was made."),
		overdue:  desc("overdue_seconds", "How long the oldest due timeout has waited for its turn."),
	}
}

// Describe is called when the collector is registered.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.pending, c.ended, c.panics, c.wakeups, c.lateness, c.maxLag, c.overdue} {
		ch <- d
	}
}

// Collect is called for each scrape, also by several goroutines at the same time.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.timer.Stats()
	gauge := func(d *prometheus.Desc, value float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	gauge(c.pending, float64(s.Pending))
	counter(c.ended, s.Expired, "expired")
	counter(c.ended, s.Rejected, "rejected")
	counter(c.panics, s.Panics)
	counter(c.wakeups, s.Wakeups)
	count, buckets := histogram(s.LagCounts)
	ch <- prometheus.MustNewConstHistogram(c.lateness, count, math.NaN(), buckets)
	gauge(c.maxLag, s.MaxLag.Seconds())
	gauge(c.overdue, s.Overdue.Seconds())
}

// histogram returns the number of all tasks, and for each bound in seconds the number of tasks up to
// it. The last count has no bound.
func histogram(counts [20]uint64) (count uint64, buckets map[float64]uint64) {
	buckets = map[float64]uint64{}
	for i, n := range counts {
		count += n
		if i < len(counts)-1 {
			buckets[float64(100*time.Microsecond<<i)/1e9] = count // Seconds would give 1.6383999999999999
		}
	}
	return count, buckets
}
