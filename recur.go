package hashedwheel

import (
	"sync/atomic"
	"time"
)

// A Scheduler says when a series runs next: at a time after now, or never again
// if it returns the zero time. robfig/cron's Schedule is one. Next is called once
// by Recur, then at the beginning of each run by the goroutine that runs it, and
// at the end of one that others came due in; never by two goroutines at a time.
type Scheduler interface {
	Next(now time.Time) time.Time
}

// Every runs f every period, first one period from now, until the returned
// Timeout or the timer is stopped. The runs are due on the fixed grid of now plus
// whole periods, each at most one tick late, so they never drift; a period below
// the tick means one run a tick. A run that is still on when the next is due makes
// that one be skipped: f never overlaps itself, and there are no bursts after a
// stall.
//
// The Timeout is pending all the time, while f runs too, and counts as one. Stop
// ends the series, from inside f too (which may begin before Every has returned: a
// variable that both use needs a lock); Reset moves the next run, after which the
// grid goes on. A panic in f crashes the program, or with a panic handler ends
// that run alone. If the timer is stopped or full the Timeout is Rejected.
//
// The Executor runs f. It costs three allocations, and a run none but the
// executor's. Like time.NewTicker it panics if period is not positive, and if f is
// nil.
func (t *Timer) Every(period time.Duration, f func()) *Timeout {
	if period <= 0 {
		panic("hashedwheel: Every with a period that is not positive")
	}
	if f == nil {
		panic("hashedwheel: Every with a nil func")
	}
	now := t.clock.Now()
	return t.recur(now, grid{now, min(period, maxDeadline)}, f)
}

// Recur runs f at the times that s gives, until the returned Timeout or the
// timer is stopped or s returns the zero time. All else is as with Every. A
// series that s has ended is Cancelled, also if it did so by a panic in Next; one
// that it never began is Idle.
//
// A time without a monotonic reading, as a calendar gives, is waited for as long
// as the wall clock says it is away when Next returns it. If the wall clock is set
// back meanwhile, the calendar gives that time again.
//
// Recur panics if s or f is nil; a panic of its first call of Next is the caller's.
func (t *Timer) Recur(s Scheduler, f func()) *Timeout {
	if s == nil {
		panic("hashedwheel: Recur with a nil Scheduler")
	}
	if f == nil {
		panic("hashedwheel: Recur with a nil func")
	}
	return t.recur(t.clock.Now(), s, f)
}

func (t *Timer) recur(now time.Time, s Scheduler, f func()) *Timeout {
	to := &Timeout{timer: t, task: &series{scheduler: s, f: f}}
	if next := s.Next(now); !next.IsZero() {
		_ = to.armNew(t, t.deadlineFrom(now, next))
	}
	return to
}

// grid is the Scheduler of Every.
type grid struct {
	start  time.Time
	period time.Duration
}

func (g grid) Next(now time.Time) time.Time {
	passed := now.Sub(g.start) / g.period
	return g.start.Add((passed + 1) * g.period)
}

// series is the Task of a Timeout that runs more than once.
type series struct {
	scheduler Scheduler
	f         func()
	running   atomic.Bool  // held by the goroutine that may call Next and f
	next      int64        // the deadline that it has armed, or claimed; belongs to who holds running
	due       atomic.Int64 // the deadline of the run that was claimed: the word has it no more
}

// Run arms the next run, then calls f, so that the Timeout is as pending while f
// runs as it is between the runs. A run that comes while one is on leaves the
// series claimed: that one will find it so.
func (s *series) Run(to *Timeout) {
	if !s.running.CompareAndSwap(false, true) {
		return
	}
	s.next = claimed // no run is armed yet
	defer s.end(to)  // deferred: f may panic
	if w := to.load(); w.isClaimed() && s.armNext(to, w) {
		s.f() // else it was stopped or reset since it was claimed: this run is void
	}
}

// end lets the next run come. What came due during this one is skipped.
func (s *series) end(to *Timeout) {
	next := s.next
	s.running.Store(false)
	w := to.load()
	overdue := w.state() == Pending && w.deadline() == next && next <= to.timer.now() // the worker has yet to come to it
	for (overdue || w.isClaimed()) && s.running.CompareAndSwap(false, true) {
		s.skip(to, w)
		w, overdue = to.load(), false
	}
}

func (s *series) skip(to *Timeout, w word) {
	defer s.running.Store(false) // deferred: the scheduler may panic
	s.armNext(to, w)
}

// armNext asks the scheduler for the next run of a series whose word is w. It
// reports whether it did what the scheduler said: no, if the series was stopped or
// reset since w was read.
func (s *series) armNext(to *Timeout, w word) (done bool) {
	over := true
	defer func() {
		if over { // or the scheduler panicked
			done = to.stop(w)
		}
	}()
	now := to.timer.clock.Now()
	next := s.scheduler.Next(now)
	if over = next.IsZero(); over {
		return false
	}
	deadline := to.timer.deadlineFrom(now, next)
	if done = to.armNext(w, deadline); done {
		s.next = deadline
	}
	return done
}
