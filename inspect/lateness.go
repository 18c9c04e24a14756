package inspect

import (
	"slices"

	"github.com/hashedwheel/hashedwheel"
)

// lateness is Stats.Lateness: how late tasks were handed out.
type lateness []hashedwheel.LatenessBucket

func (l lateness) count() (n uint64) {
	for _, b := range l {
		n += b.Count
	}
	return n
}

// since returns the tasks that are in l and not in an earlier reading.
func (l lateness) since(before lateness) lateness {
	more := slices.Clone(l)
	for i := range more {
		more[i].Count -= min(more[i].Count, before[i].Count) // a request that was held up may have the older reading
	}
	return more
}

// within returns the bound that the given share of all tasks meets, in words.
func (l lateness) within(share float64) string {
	all, n, last := l.count(), uint64(0), len(l)-1
	for _, b := range l[:last] {
		n += b.Count
		if n > 0 && float64(n) >= share*float64(all) {
			return "within " + span(b.UpTo)
		}
	}
	if all == 0 {
		return "–"
	}
	return "over " + span(l[last-1].UpTo)
}
