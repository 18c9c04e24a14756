package main

import (
	"github.com/hashedwheel/hashedwheel"
	"github.com/prometheus/client_golang/prometheus"
)

// A collector exports the Stats of a Timer. One Stats call makes all metrics of a
// scrape, so they fit together. The call costs as much as Timer.Pending: a drain
// of what was handed over since the last tick.
type collector struct {
	timer *hashedwheel.Timer

	pending, settled, panics, wakeups, lag, maxLag, overdue *prometheus.Desc
}

// newCollector returns a collector to be registered. The name tells a program's
// Timers apart.
func newCollector(timer *hashedwheel.Timer, name string) *collector {
	desc := func(metric, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("hashedwheel_"+metric, help, labels, prometheus.Labels{"timer": name})
	}
	return &collector{
		timer:   timer,
		pending: desc("timeouts_pending", "Timeouts that are armed and not settled."),
		settled: desc("timeouts_settled_total", "Timeouts that expired, were cancelled or were refused.", "outcome"),
		panics:  desc("task_panics_total", "Tasks that panicked, with a panic handler."),
		wakeups: desc("wakeups_total", "Times the worker woke from a sleep."),
		lag:     desc("lag_seconds", "How late the last batch of timeouts was handed out."),
		maxLag:  desc("lag_max_seconds", "The greatest lag since the Timer was made."),
		overdue: desc("overdue_seconds", "How long the oldest due timeout has been waiting for its turn."),
	}
}

// Describe is called when the collector is registered.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.pending, c.settled, c.panics, c.wakeups, c.lag, c.maxLag, c.overdue} {
		ch <- d
	}
}

// Collect is called for each scrape, and may be by several at the same time.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.timer.Stats()
	gauge := func(d *prometheus.Desc, value float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	gauge(c.pending, float64(s.Pending))
	counter(c.settled, s.Expired, "expired")
	counter(c.settled, s.Cancelled, "cancelled")
	counter(c.settled, s.Rejected, "rejected")
	counter(c.panics, s.Panics)
	counter(c.wakeups, s.Wakeups)
	gauge(c.lag, s.Lag.Seconds())
	gauge(c.maxLag, s.MaxLag.Seconds())
	gauge(c.overdue, s.Overdue.Seconds())
}
