package inspect

import (
	"math"
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

// readWaits returns the waits since the process began, nil if the runtime does not count them.
func readWaits() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return sample[0].Value.Float64Histogram()
}

// newWaits returns the waits between two readings.
func newWaits(now, before *metrics.Float64Histogram, over time.Duration) waits {
	w := waits{Over: max(0, over)}
	if now == nil || before == nil {
		return w
	}
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
