package hashedwheel

import "time"

// nextRun is a Series as the Task of its Timeout.
type nextRun Series

// Run arms the Timeout for the next run, then calls f.
func (r *nextRun) Run(*Timeout) {
	s := (*Series)(r)
	if s.scheduler != nil && !s.mayAsk() {
		return
	}
	if s.armNext() {
		defer s.endTurn() // deferred: f may panic
		s.f(s)
	}
}

// isDue reports whether a run is due. None is if the series was stopped, or reset,
// since the Executor got the run. The caller holds mu.
func (s *Series) isDue() bool { return s.on && s.to.State() == Expired }

// mayAsk reports whether a run is due and the Scheduler may be called for it. If another
// goroutine is in there still, since before a Reset, the run is put off to the next tick.
func (s *Series) mayAsk() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isDue() {
		return false
	}
	if s.asking {
		s.to.ResetAt(s.to.Deadline()) // past: due at the next tick
		return false
	}
	s.asking, s.reset = true, false
	return true
}

// answer is what armNext asked for.
type answer struct {
	now, next time.Time
	isGiven   bool // no: the Scheduler panicked, or the clock
}

// armNext arms the Timeout for the next run, and reports whether f is to run now.
func (s *Series) armNext() (runs bool) {
	var a answer
	defer func() { runs = s.take(a) }() // deferred: a Scheduler may panic
	a.now = s.now()
	if s.scheduler != nil {
		a.next = s.scheduler.Next(a.now)
	}
	a.isGiven = true
	return
}

// take acts on an answer, unless Stop or Reset came before it.
func (s *Series) take(a answer) (runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = false
	if s.reset || !s.isDue() {
		return false
	}
	runs = a.isGiven && !s.running && !s.missed
	s.running, s.missed = s.running || runs, false
	switch {
	case !a.isGiven, s.scheduler != nil && a.next.IsZero():
		s.on = false
	case s.scheduler != nil:
		s.armIn(a.next.Sub(a.now), a.now)
	default: // a point that is past is due too, if its tick is yet to come
		tick := s.tickAt(a.now)
		s.to.ResetAt(tick.Add(s.grid.period - s.grid.past(tick)))
	}
	return runs
}

// endTurn lets f run again. What has come due meanwhile is left out.
func (s *Series) endTurn() {
	var now time.Time
	defer func() { // deferred: a clock may panic
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running, s.missed = false, s.isOverdue(now)
	}()
	now = s.now()
}

// now reads the clock: for a grid without the wall clock, which takes half the time.
func (s *Series) now() time.Time {
	tm := s.to.timer
	if s.scheduler == nil {
		return tm.at(tm.now())
	}
	return tm.Now()
}

// isOverdue reports whether the run that the Timeout is armed for was due by now:
// its tick has begun. The caller holds mu.
func (s *Series) isOverdue(now time.Time) bool {
	switch s.to.State() {
	case Expired:
		return true
	case Pending:
		due := s.to.Deadline()
		return !due.After(now) && !due.After(s.tickAt(now)) // the first is quicker, and seldom true
	}
	return false
}

// tickAt returns the time at which the tick that now is in has begun.
func (s *Series) tickAt(now time.Time) time.Time {
	tm := s.to.timer
	return now.Add(-grid{tm.start, tm.Tick()}.past(now))
}

// grid is start plus and minus whole periods.
type grid struct {
	start  time.Time
	period time.Duration
}

// past returns how long before t the last point was.
func (g grid) past(t time.Time) time.Duration {
	past := t.Sub(g.start) % g.period
	if past < 0 {
		past += g.period
	}
	return past
}
