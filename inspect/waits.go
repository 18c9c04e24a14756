package inspect

import (
	"runtime/metrics"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// waits counts tasks by lateness, as Stats.Lateness does, or goroutines by how long they waited for a processor. If the
// process has more work than processors, goroutines wait as long as tasks are late.
type waits []hashedwheel.LatenessBucket

// newWaits converts a histogram of package metrics, whose count i is for the times from bound i to bound i+1, in
// seconds.
func newWaits(h *metrics.Float64Histogram) waits {
	w := make(waits, len(h.Counts))
	for i, n := range h.Counts {
		upTo := time.Duration(min(h.Buckets[i+1], forever.Seconds()) * float64(time.Second)) // the last is infinite
		w[i] = hashedwheel.LatenessBucket{UpTo: upTo, Count: n}
	}
	return w
}

func (w waits) count() (n uint64) {
	for _, b := range w {
		n += b.Count
	}
	return n
}

// since returns the waits in w that are not in an earlier reading.
func (w waits) since(before waits) waits {
	more := slices.Clone(w)
	for i := range more {
		more[i].Count -= min(more[i].Count, before[i].Count) // w may be older if its request was delayed
	}
	return more
}

// within returns the bound of the given share of all waits, in words.
func (w waits) within(share float64) string {
	all, n, last := w.count(), uint64(0), len(w)-1
	for _, b := range w[:last] {
		n += b.Count
		if n > 0 && float64(n) >= share*float64(all) {
			return "within " + span(b.UpTo)
		}
	}
	if all == 0 {
		return "–"
	}
	return "over " + span(w[last-1].UpTo)
}
