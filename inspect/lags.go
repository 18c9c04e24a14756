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

// within returns the bound that the given share of all lags meets, in words.
func (l lags) within(share float64) string {
	for _, b := range l.Buckets {
		if float64(b.Count) >= share*float64(l.Count) {
			return "within " + span(b.Le)
		}
	}
	return "over " + span(l.Buckets[len(l.Buckets)-1].Le)
}

// summary returns how late most tasks were, in words; nothing if there were none.
func (l lags) summary() string {
	if l.Count == 0 {
		return ""
	}
	half, most := l.within(0.5), l.within(0.99)
	if half == most {
		return "99% " + most
	}
	return "half " + half + ", 99% " + most
}
