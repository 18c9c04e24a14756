package inspect

import (
	"sync"
	"time"
)

// looks keeps the reports of earlier looks, for rates.
type looks struct {
	mu           sync.Mutex
	base, latest report // guarded by mu; from the second look on, latest is newer by at least a second
}

const (
	apart    = time.Second // how far apart looks have to be to count as two
	briefest = apart / 2   // a shorter time has no rates
)

func (l *looks) begin(r report) { l.base, l.latest = r, r }

// last returns the report with which to compare now. A look less than a second after the latest does not replace it:
// both are compared with the look before.
func (l *looks) last(now report) report {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Time.Sub(l.latest.Time) >= apart {
		l.base, l.latest = l.latest, now
	}
	return l.base
}

// rate returns by how much a counter grew in a second; not ok if the time was too short.
func rate(before, now uint64, elapsed time.Duration) (perSecond float64, ok bool) {
	if elapsed < briefest || now < before {
		return 0, false
	}
	return float64(now-before) / elapsed.Seconds(), true
}
