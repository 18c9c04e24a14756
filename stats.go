package hashedwheel

import "time"

// Stats counts what a Timer has done. The counters run from New and never decrease.
type Stats struct {
	Pending int // armed and not settled

	Expired   uint64 // tasks handed out; each run of a series and each tick of After counts as one
	Cancelled uint64 // stopped timeouts that the wheel has let go of; not a stop that a Reset within the same tick followed
	Rejected  uint64 // armings refused because the timer was stopped or full
	Panics    uint64 // tasks that panicked, with WithPanicHandler
	Wakeups   uint64 // times the worker woke from a sleep; none on a ManualClock

	// Lag is how late the last batch of up to 64 was handed out, MaxLag the latest of
	// all: the time from the tick at which its first was due to the turn of its last.
	// What a task itself adds, once it has been handed out, is not in it.
	Lag, MaxLag time.Duration

	// Overdue is how long the oldest due timeout has been waiting for its turn, now:
	// it grows while an executor, or a task with Inline, blocks the worker. One that was
	// moved later counts until the worker has found that out.
	Overdue time.Duration
}

// Stats returns the counters as of now. It costs as much as Pending.
func (tm *Timer) Stats() Stats {
	next, pending := tm.look()
	overdue := time.Duration(0)
	if now := tm.now(); next != noTick {
		overdue = time.Duration(max(0, now-next*tm.tick))
	}
	tm.guarded.Lock()
	defer tm.guarded.Unlock()
	return Stats{
		Pending:   pending,
		Expired:   tm.out.count.Load(),
		Cancelled: tm.guarded.cancelled,
		Rejected:  tm.rejected.Load(),
		Panics:    tm.out.panics.Load(),
		Wakeups:   tm.wakeups.Load(),
		Lag:       tm.guarded.lag,
		MaxLag:    tm.guarded.maxLag,
		Overdue:   overdue,
	}
}
