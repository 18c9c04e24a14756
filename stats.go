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
	overdue := max(0, tm.now()-min(next, maxDeadline/tm.tick+1)*tm.tick) // 0 if nothing is pending
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
		Overdue:   time.Duration(overdue),
	}
}

// Sample returns at most n of the timeouts that are pending, spread over all deadlines;
// all of them if n suffices, though it may miss one that is armed or moved, or that the
// worker files again, farther away, while it looks. Of those due at about the same time
// it takes the newest. Those of After are only to be looked at: the channel of one that is
// stopped stays open. Whatever n, Sample holds the worker up for no more than 256 at a time.
func (tm *Timer) Sample(n int) []*Timeout {
	if n <= 0 {
		return nil
	}
	tm.look()
	tm.sampling.Lock() // the wheel has one cursor
	defer tm.sampling.Unlock()
	s := sample{want: n}
	for tm.samplePortion(&s) {
	}
	return s.found
}

func (tm *Timer) samplePortion(s *sample) (more bool) {
	g := &tm.guarded
	g.Lock()
	defer g.Unlock()
	if s.seen == nil {
		g.fileSome(portion) // what was held in a batch that has ended meanwhile
		s.begin(g)
	}
	return s.walk(&g.wheel)
}

// sample is a walk through what is pending. Each hold of the lock goes on at the cursor.
type sample struct {
	want  int
	found []*Timeout
	seen  map[*Timeout]bool // found; one that is filed again may be met again

	wanted, all int64 // the share of what is filed, and of each slot, that is to be found
	owed        int64 // by rounding, in parts of all
	level, slot int   // the next to look at; downwards, as what is filed again moves
	left        int   // how many to find in this slot
}

// begin finds what is in the batch, and counts the rest.
func (s *sample) begin(g *guarded) {
	s.seen = make(map[*Timeout]bool)
	for _, t := range g.batch {
		s.find(t)
	}
	s.all = int64(max(1, g.wheel.count))
	s.wanted = min(s.all, int64(s.want-len(s.found)))
	s.level = len(g.wheel.levels) - 1
	g.wheel.cursor = nil
}

// walk looks at a portion, and reports whether there is more.
func (s *sample) walk(w *hashedWheel) (more bool) {
	for range portion {
		switch {
		case len(s.found) == s.want:
			return false
		case s.left > 0 && w.cursor != nil:
			t := w.cursor
			w.cursor = t.next
			s.find(t)
		case s.level < 0:
			return false
		default:
			s.enter(w)
		}
	}
	return true
}

func (s *sample) find(t *Timeout) {
	if len(s.found) < s.want && t.State() == Pending && !s.seen[t] {
		s.seen[t] = true
		s.found = append(s.found, t)
		s.left--
	}
}

// enter begins with the next slot that is occupied.
func (s *sample) enter(w *hashedWheel) {
	l := w.levels[s.level]
	i := l.occupied.Next(s.slot)
	if i < 0 {
		s.level, s.slot = s.level-1, 0
		return
	}
	s.slot = i + 1
	slot := &l.slots[i]
	s.owed += int64(slot.n) * s.wanted
	s.left = min(slot.n, int(s.owed/s.all))
	s.owed -= int64(s.left) * s.all
	w.cursor = slot.head
}
