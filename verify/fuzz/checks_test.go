package fuzz

import (
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// handed checks that a task may be handed to the executor now.
func (s *script) handed(e *entry) {
	m := &s.model
	s.look()
	s.log("handed", e.id, m.now)
	s.check(e.state == hashedwheel.Pending, "#%d dispatched, but is %v", e.id, e.state)
	s.check(e.to.State() == hashedwheel.Expired, "#%d dispatched in state %v", e.id, e.to.State())
	if s.failure != "" {
		return
	}
	s.check(m.now >= e.deadline, "#%d early: deadline %d", e.id, e.deadline)
	if s.clock == onSystem || s.executor != withGoroutines { // on a ManualClock goroutines begin at any time
		s.check(m.read() <= max(e.last, m.woken), "#%d late: at the latest %d", e.id, e.last)
	}
	m.expire(e)
	e.owed++
}

func (s *script) checkNothingOverdue() {
	if m := &s.model; m.overdue() {
		s.check(false, "#%d is overdue since %d", m.pending[0].id, m.pending[0].last)
	}
}

// began checks that a task may begin now.
func (s *script) began(e *entry) {
	s.log("run", e.id, s.now())
	s.self = e
	s.ran++
	e.owed--
	s.check(e.owed >= 0, "#%d runs, and is not owed a run", e.id)
}

// compare checks everything that can be read against the model.
func (s *script) compare() {
	for i, e := range s.entries {
		if got := e.to.State(); got != e.state { // otherwise the arguments alone cost more than the script
			s.check(false, "#%d is %v, not %v", i, got, e.state)
		}
	}
	if s.clock != onManual && !s.nested {
		s.checkNothingOverdue()
	}
	if s.model.stopped {
		s.compareShutdown()
	}
	if s.eager {
		s.compareDeadlines()
		s.compareDrained()
	}
}

// compareShutdown checks that Shutdown waits exactly as long as something runs.
func (s *script) compareShutdown() {
	running := s.nested || s.active > 0 || s.lost > 0 ||
		slices.ContainsFunc(s.jobs, func(j job) bool { return !j.isGivenUp })
	left, err := s.timer.Shutdown(ended)
	s.check(len(left) == 0, "Shutdown after Stop returned something")
	s.check((err != nil) == running || s.handling, "Shutdown: %v, something runs: %v", err, running)
}

func (s *script) compareDeadlines() {
	for i, e := range s.entries {
		want := time.Time{}
		if e.state != hashedwheel.Unarmed {
			want = s.start.Add(time.Duration(e.deadline))
		}
		if got := e.to.Deadline(); !got.Equal(want) {
			s.check(false, "Deadline of #%d is %v, not %v", i, got, want)
		}
		if got := e.to.Err(); got != e.err {
			s.check(false, "Err of #%d is %v, not %v", i, got, e.err)
		}
	}
}

// compareDrained checks the timer's counts. It is a separate call in the stream because it drains the queue.
func (s *script) compareDrained() {
	s.compareNextDue()
	m, st := &s.model, s.timer.Stats()
	s.check(s.timer.Pending() == len(m.pending), "Pending: %d, not %d", s.timer.Pending(), len(m.pending))
	s.check(st.Pending == len(m.pending), "Stats.Pending: %d, not %d", st.Pending, len(m.pending))
	s.check(st.Expired == uint64(m.expired), "Stats.Expired: %d, not %d", st.Expired, m.expired)
	s.check(st.Rejected == uint64(m.rejected), "Stats.Rejected: %d, not %d", st.Rejected, m.rejected)
	s.check(st.Panics == uint64(m.panics), "Stats.Panics: %d, not %d", st.Panics, m.panics)
	if s.clock == onManual {
		s.check(st.Wakeups == 0, "on a ManualClock: %+v", st)
	}
	if s.clock == onSystem || s.executor != withGoroutines { // on other clocks goroutines begin at any time
		late := int64(st.LatenessSum)
		s.check(m.least <= late && late <= m.latest, "Stats.LatenessSum: %d, not %d to %d", late, m.least, m.latest)
	}
	if !s.nested && !s.broken {
		s.check(int64(st.Overdue) <= m.tick, "Stats.Overdue: %v, and nothing waits", st.Overdue)
	}
	// An event wakes the worker twice at most: for the queue, and for a due timeout.
	s.check(st.Wakeups <= 2*uint64(len(s.trace))+4, "Stats.Wakeups: %d, after %d events", st.Wakeups, len(s.trace))
}

// compareNextDue checks that NextDue returns no later time than the next expiry. Timeouts that were moved or stopped
// may make it earlier.
func (s *script) compareNextDue() {
	m := &s.model
	at, ok := s.timer.NextDue()
	s.check(ok == (len(m.pending) > 0), "NextDue: %v, with %d pending", ok, len(m.pending))
	if len(m.pending) > 0 {
		late := int64(at.Sub(s.start)) - max(m.pending[0].last, m.woken, m.nextTick(m.read()))
		s.check(late <= 0, "NextDue: %d too late", late)
	}
}

// balance checks, at the end, that each arming had one outcome.
func (s *script) balance() {
	s.compareDeadlines()
	s.compareDrained()
	m := &s.model
	s.check(s.ran+s.dropped == m.expired, "%d ran, %d dropped, not %d", s.ran, s.dropped, m.expired)
	s.check(m.armings == m.expired+s.stopped+s.returned+s.refused,
		"%d armings, but %d expired, %d stopped, %d returned by Timer.StopAll, %d refused",
		m.armings, m.expired, s.stopped, s.returned, s.refused)
}
