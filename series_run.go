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

// isDue reports whether a run is due: the series was neither stopped nor reset since the
// Executor got the run. The caller holds mu.
func (s *Series) isDue() bool { return s.on && s.to.State() == Expired }

// mayAsk reports whether a run is due and the Scheduler may be called for it. If a goroutine
// from before a Reset is still in there, the run is put off to the next tick.
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

// armNext arms the Timeout for the next run, and reports whether f is to run now.
func (s *Series) armNext() (runs bool) {
	var now, next time.Time
	answered := false
	defer func() { runs = s.take(now, next, answered) }() // deferred: a Scheduler may panic, and a clock
	now = s.now()
	if s.scheduler != nil {
		next = s.scheduler.Next(now)
	}
	answered = true
	return
}

// take acts on what armNext was answered, unless Stop or Reset came before it.
func (s *Series) take(now, next time.Time, answered bool) (runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = false
	if s.reset || !s.isDue() {
		return false
	}
	runs = answered && !s.running && !s.missed
	s.running, s.missed = s.running || runs, false
	switch {
	case !answered, s.scheduler != nil && next.IsZero():
		s.on = false
	case s.scheduler != nil:
		s.armIn(next.Sub(now), now)
	default: // a point that is past is due too, if its tick is yet to come
		s.to.ResetAt(s.pointAfter(s.tickAt(now)))
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

// now reads the clock. A Scheduler gets the wall clock, which may have been set since New.
func (s *Series) now() time.Time {
	now := s.to.timer.Now() // panics outside its bubble
	if s.scheduler != nil {
		now = s.to.timer.clock.Now()
	}
	return now
}

// isOverdue reports whether the run that the Timeout is armed for was due by now: its tick
// has begun. The caller holds mu.
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
	return tm.at(tm.tickAt(tm.since(now)) * tm.tick)
}

// pointAfter returns the first point of the grid after at, which may be before its start.
func (s *Series) pointAfter(at time.Time) time.Time {
	past := at.Sub(s.start) % s.period
	if past < 0 {
		past += s.period
	}
	return at.Add(s.period - past)
}
