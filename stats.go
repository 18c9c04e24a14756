package hashedwheel

import "time"

// Stats counts what a Timer has done. The counters run from New and never
// decrease.
type Stats struct {
	Pending int // armed and not settled

	Expired   uint64 // tasks handed out; each run of a series and each tick of After counts as one
	Cancelled uint64 // stops that the worker has seen; those of a Timeout between two ticks count once, and not at all if it was armed again
	Rejected  uint64 // armings refused because the timer was stopped or full
	Panics    uint64 // tasks that panicked, with WithPanicHandler
	Wakeups   uint64 // times the worker woke from a sleep; none on a ManualClock
	Handoffs  uint64 // times that Inline went on without a task that had not returned for a tick

	// Lag is how late the last tick with timeouts was processed, MaxLag the most that
	// any was: what the system's timers and a blocked worker add to the promised tick.
	Lag, MaxLag time.Duration
}

// Stats returns the counters as of now. It costs as much as Pending.
func (t *Timer) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Stats{
		Pending:   t.countPending(),
		Expired:   t.expired.Load(),
		Cancelled: t.cancelled,
		Rejected:  t.rejected.Load(),
		Panics:    t.panics.Load(),
		Wakeups:   t.wakeups.Load(),
		Handoffs:  t.watch.handoffs,
		Lag:       t.lag,
		MaxLag:    t.maxLag,
	}
}
