package bench

import (
	"sync"
	"time"
)

// heartbeat is a task that arms itself again for the next point of a fixed grid. The first beat after a stall counts as
// late for every point that the stall covered.
type heartbeat struct {
	timer Timer
	every time.Duration
	start time.Time

	mu   sync.Mutex
	next time.Duration // since start; guarded by mu
	over bool          // guarded by mu
	late []float64     // ms; guarded by mu
}

func startBeats(t Timer, every time.Duration) *heartbeat {
	b := &heartbeat{timer: t, every: every, start: time.Now(), next: every}
	t.AfterFunc(every, b.beat)
	return b
}

func (b *heartbeat) beat() {
	b.mu.Lock()
	b.count()
	over, next := b.over, b.start.Add(b.next)
	b.mu.Unlock()
	if !over {
		b.timer.AfterFunc(time.Until(next), b.beat)
	}
}

// count records every point that has passed. The caller holds mu.
func (b *heartbeat) count() {
	now := time.Since(b.start)
	for ; b.next <= now && !b.over; b.next += b.every {
		b.late = append(b.late, float64(now-b.next)/1e6)
	}
}

// end returns how many ms late each beat was. A beat that is still missing counts as late until now.
func (b *heartbeat) end() []float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
	b.over = true
	return b.late
}
