package inspect

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// scheduler is how busy the process is.
type scheduler struct {
	ready      uint64 // goroutines that could run, and wait for a processor
	processors int
	waited     *metrics.Float64Histogram // how long goroutines have waited for a processor since the process began
}

func readScheduler() scheduler {
	samples := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}, {Name: "/sched/latencies:seconds"}}
	metrics.Read(samples)
	return scheduler{samples[0].Value.Uint64(), runtime.GOMAXPROCS(0), samples[1].Value.Float64Histogram()}
}

// readiness returns the goroutines that are ready, and the processors, in words.
func (s scheduler) readiness() string {
	if s.processors == 1 {
		return count(s.ready) + " for 1 processor"
	}
	return count(s.ready) + " for " + count(uint64(s.processors)) + " processors"
}

// waits is how long half of the goroutines that could run, and 99%, waited for a processor at most: as long as tasks
// were late, if the process has more work than processors.
type waits struct{ p50, p99 time.Duration }

// newWaits returns the waits between two readings.
func newWaits(now, before *metrics.Float64Histogram) waits {
	counts, total := make([]uint64, len(now.Counts)), uint64(0)
	for i, n := range now.Counts {
		counts[i] = n - min(n, before.Counts[i]) // a request that was held up may have the older reading
		total += counts[i]
	}
	return waits{quantile(0.5, counts, total, now.Buckets), quantile(0.99, counts, total, now.Buckets)}
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
	if w.p99 == 0 { // there were none
		return "–"
	}
	return "within " + span(d)
}
