package inspect

import "time"

// lags is how late tasks were handed out. As in a Prometheus histogram, each bucket also counts the
// buckets before it, and Count is the bucket without a bound.
type lags struct {
	Count   uint64      `json:"count"`
	Buckets []lagBucket `json:"buckets"`
}

type lagBucket struct {
	Le    time.Duration `json:"le_ns"`
	Count uint64        `json:"count"`
}

const firstLag = 100 * time.Microsecond // each bound is twice the one before

// newLags makes a histogram of Stats.LagCounts, whose last entry has no bound.
func newLags(counts [20]uint64) (l lags) {
	for i, n := range counts {
		l.Count += n
		if i < len(counts)-1 {
			l.Buckets = append(l.Buckets, lagBucket{Le: firstLag << i, Count: l.Count})
		}
	}
	return l
}

// since returns the lags that are in l and not in an earlier reading.
func (l lags) since(before lags) (more lags) {
	more.Count = l.Count - min(l.Count, before.Count) // a request that was held up may have the older reading
	for i, b := range l.Buckets {
		more.Buckets = append(more.Buckets, lagBucket{b.Le, b.Count - min(b.Count, before.Buckets[i].Count)})
	}
	return more
}

// within returns the bound that the given share of all lags meets, in words.
func (l lags) within(share float64) string {
	if l.Count == 0 {
		return "–"
	}
	for _, b := range l.Buckets {
		if float64(b.Count) >= share*float64(l.Count) {
			return "within " + span(b.Le)
		}
	}
	return "over " + span(l.Buckets[len(l.Buckets)-1].Le)
}
