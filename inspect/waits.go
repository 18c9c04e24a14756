package inspect

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// waits is how long goroutines that could run waited for a processor: as long as tasks were late, if the process has
// more work than processors.
type waits struct {
	P50  time.Duration `json:"p50_ns"`
	P99  time.Duration `json:"p99_ns"`
	Over time.Duration `json:"over_ns"` // the time that they are of
}

// readScheduler reads how many goroutines are ready to run and wait for a processor, how many processors there are, and
// the waits since the process began. It must be called before the timers are read: that takes time, in which goroutines
// run.
func (r *report) readScheduler() {
	samples := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}, {Name: "/sched/latencies:seconds"}}
	metrics.Read(samples)
	r.Ready, r.waited = samples[0].Value.Uint64(), samples[1].Value.Float64Histogram()
	r.Processors = runtime.GOMAXPROCS(0)
}

// ready returns the goroutines that are ready, and the processors, in words.
func (r report) ready() string {
	if r.Processors == 1 {
		return count(r.Ready) + " for 1 processor"
	}
	return count(r.Ready) + " for " + count(uint64(r.Processors)) + " processors"
}

// newWaits returns the waits between two readings.
func newWaits(now, before *metrics.Float64Histogram, over time.Duration) waits {
	w := waits{Over: max(0, over)}
	counts, total := make([]uint64, len(now.Counts)), uint64(0)
	for i, n := range now.Counts {
		counts[i] = n - min(n, before.Counts[i]) // a request that was held up may have the older reading
		total += counts[i]
	}
	w.P50, w.P99 = quantile(0.5, counts, total, now.Buckets), quantile(0.99, counts, total, now.Buckets)
	return w
}

// quantile returns the bound that the given share of all waits meets. Count i is of the bucket from bound i to i+1.
func quantile(share float64, counts []uint64, total uint64, seconds []float64) time.Duration {
	sum := uint64(0)
	for i, n := range counts {
		sum += n
		if sum > 0 && float64(sum) >= share*float64(total) {
			return time.Duration(math.Round(min(seconds[i+1], forever.Seconds()) * float64(time.Second)))
		}
	}
	return 0
}

// within returns one of the waits in words.
func (w waits) within(d time.Duration) string {
	if w.P99 == 0 { // there were none
		return "–"
	}
	return "within " + span(d)
}
