package hashedwheel

import "time"

// Stats counts what a Timer has done. The counters run from New and never decrease.
type Stats struct {
	Pending    int  // as Timer.Pending returns
	MaxPending int  // the bound that WithMaxPending set; 0: none
	Stopped    bool // by Timer.Stop or Timer.Shutdown

	Expired  uint64 // tasks handed out; each run of a series and each tick of After counts as one
	Rejected uint64 // armings refused because the timer was stopped or full
	Panics   uint64 // panics of tasks and of the Executor that were handled, see WithPanicHandler
	Wakeups  uint64 // how often the worker has come; never on a ManualClock

	// Lag is how late the last batch of up to 64 was handed out, MaxLag the most of all: the time from the tick at
	// which its first timeout was due, or the worker was to come if that is later, to the turn of its last. With Inline
	// the tasks before the last are in it.
	Lag, MaxLag time.Duration

	// LagCounts[i] counts tasks that were handed out up to 100µs<<i late, as Lag measures, and later than
	// the entry before; the last also counts all later ones.
	LagCounts [20]uint64

	// Overdue is how long the oldest due timeout has waited for its turn: it grows while an executor, or a task with
	// Inline, blocks the worker, or the worker waits for a processor. A timeout that was moved later counts until the
	// worker finds out.
	Overdue time.Duration
}

// Stats returns the counters as of now. It costs as much as Pending.
func (tm *Timer) Stats() Stats {
	tm.time.checkMade()
	now := tm.time.now() // before the drain, whose time must not count as a timeout's delay
	next, pending := tm.guarded.drainAll()
	// A timeout that was armed for the past is overdue only once the worker, which is to look at it, is late.
	overdue := now - tm.time.ticks.start(max(next, tm.alarm.looksAt()))
	s := Stats{
		Pending:    pending,
		MaxPending: int(tm.room.max),
		Expired:    tm.out.count.Load(),
		Rejected:   tm.rejected.Load(),
		Panics:     tm.out.panics.Load(),
		Wakeups:    tm.worker.wakeups.Load(),
		Overdue:    time.Duration(max(0, overdue)), // 0 if nothing is pending
	}
	tm.guarded.addStats(&s)
	return s
}

func (g *guarded) addStats(s *Stats) {
	defer g.lock().unlock()
	s.Stopped = g.stopped
	s.Lag, s.MaxLag, s.LagCounts = g.lag, g.maxLag, g.lagCounts
}
