package inspect

import (
	"sync"
	"time"
)

// looks remembers what earlier looks at the page saw, for rates.
type looks struct {
	mu           sync.Mutex
	base, latest report // guarded by mu; once there are two, latest is newer by at least a second
}

// apart is how far apart looks have to be to count as two.
const apart = time.Second

func (l *looks) begin(r report) { l.base, l.latest = r, r }

// last returns the look to compare now with. A look less than a second after the latest
// does not replace it: both are compared with the one before.
func (l *looks) last(now report) report {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Time.Sub(l.latest.Time) >= apart {
		l.base, l.latest = l.latest, now
	}
	return l.base
}

// rate returns by how much a counter grew in a second; it is not ok if the time was
// too short to tell.
func rate(before, now uint64, elapsed time.Duration) (perSecond float64, ok bool) {
	if elapsed < apart/2 || now < before {
		return 0, false
	}
	return float64(now-before) / elapsed.Seconds(), true
}
