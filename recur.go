package hashedwheel

import (
	"sync/atomic"
	"time"
)

// A Scheduler says when a series runs next: at a time after now, or never again
// if it returns the zero time. robfig/cron's Schedule is one. Next is called once
// by Recur, then at the beginning of each run by the goroutine that runs it, and
// at the end of one that others came due in; never by two goroutines at a time. The
// run counts as on until that has returned.
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
// The Executor runs f. A series costs three allocations, a run none but the
// executor's. Like time.NewTicker it panics if period is not positive, and if f is
// nil.
func (t *Timer) Every(period time.Duration, f func()) *Timeout {
	if period <= 0 {
		panic("hashedwheel: Every with a period that is not positive")
	}
	if f == nil {
		panic("hashedwheel: Every with a nil func")
	}
	g := grid{start: t.since(t.clock.Now()), period: int64(min(period, maxDeadline))}
	return t.recur(g, clamp(g.start+g.period), true, f)
}

// Recur runs f at the times that s gives, until the returned Timeout or the
// timer is stopped or s returns the zero time. All else is as with Every. A
// series that s has ended is Cancelled, also if it did so by a panic in Next; one
// that it never began is Idle.
//
// A time without a monotonic reading, as a calendar gives, is waited for as long as
// the wall clock says it is away when Next is asked. If the wall clock is set back
// meanwhile, the calendar gives that time again. Next is asked when a run begins, up
// to a tick late, and what is due by then is passed over: for points less than two
// ticks apart take a shorter tick, or Every, which does not lose them to that.
//
// Recur panics if s or f is nil; a panic of its first call of Next is the caller's.
func (t *Timer) Recur(s Scheduler, f func()) *Timeout {
	if s == nil {
		panic("hashedwheel: Recur with a nil Scheduler")
	}
	if f == nil {
		panic("hashedwheel: Recur with a nil func")
	}
	c := calendar{s}
	first, more := c.next(t, t.clock.Now())
	return t.recur(c, first, more, f)
}

func (t *Timer) recur(p plan, first int64, more bool, f func()) *Timeout {
	to := &Timeout{timer: t, task: &series{plan: p, f: f}}
	if more {
		_ = to.armNew(t, first)
	}
	return to
}

// plan gives the deadline of a series' next run, asked when one begins or is
// skipped, now; more is false if there is none.
type plan interface {
	next(t *Timer, now time.Time) (deadline int64, more bool)
}

// calendar is the plan of Recur.
type calendar struct{ Scheduler }

func (c calendar) next(t *Timer, now time.Time) (deadline int64, more bool) {
	at := c.Next(now)
	return t.deadlineFrom(now, at), !at.IsZero()
}

// grid is the plan of Every.
type grid struct {
	start, period int64 // ns; start since the timer's
}

// next returns the first point behind the beginning of the current tick: what is
// due later in it is handed out with the next, so a run that began a little late
// has not missed that yet.
func (g grid) next(t *Timer, now time.Time) (deadline int64, more bool) {
	begun := t.tickAt(t.since(now)) * t.tick
	passed := floor(begun-g.start, g.period)
	return clamp(g.start + (passed+1)*g.period), true
}

// series is the Task of a Timeout that runs more than once.
type series struct {
	plan    plan
	f       func()
	running atomic.Bool  // held by the goroutine that may ask the plan and call f
	next    int64        // the deadline armed by this run, or the constant claimed; belongs to who holds running
	due     atomic.Int64 // the deadline of the run that was claimed: the word has it no more
}

// Run arms the next run, then calls f, so that the Timeout is as pending while f
// runs as it is between the runs. A run that comes while one is on leaves the
// series claimed: that one will find it so.
func (s *series) Run(to *Timeout) {
	for s.running.CompareAndSwap(false, true) {
		if s.turn(to) || !to.load().isClaimed() {
			return
		} // else that was void, and the run of what has been claimed since found it on
	}
}

// turn is a run, and reports whether it was one: not if the series was stopped or
// reset since it was claimed, then it is void.
func (s *series) turn(to *Timeout) (ran bool) {
	s.next = claimed // no run is armed yet
	void := false
	defer func() { // deferred: f may panic, and a Scheduler
		if void {
			s.running.Store(false)
		} else {
			s.end(to)
		}
	}()
	w := to.load()
	if void = !w.isClaimed() || !s.proceed(to, w); !void {
		s.f()
	}
	return !void
}

// end lets the next run come. What came due during this one is skipped: it is
// claimed, or overdue, its tick having begun and the worker yet to come to it.
func (s *series) end(to *Timeout) {
	next := s.next
	s.running.Store(false)
	w, t := to.load(), to.timer
	overdue := w.state() == Pending && w.deadline() == next && roundUp(next, t.tick) <= t.tickAt(t.now())
	for (overdue || w.isClaimed()) && s.running.CompareAndSwap(false, true) {
		s.skip(to, w)
		w, overdue = to.load(), false
	}
}

func (s *series) skip(to *Timeout, w word) {
	defer s.running.Store(false) // deferred: a Scheduler may panic
	s.proceed(to, w)
}

// proceed arms the next run of a series whose word is w, or ends it, as the plan
// says. It reports whether it did: no, if the series was stopped or reset since w
// was read.
func (s *series) proceed(to *Timeout, w word) (done bool) {
	more := false
	defer func() {
		if !more { // or a Scheduler or the clock panicked
			done = to.stop(w)
		}
	}()
	var next int64
	next, more = s.plan.next(to.timer, to.timer.clock.Now())
	if more && to.armNext(w, next) {
		s.next = next
		return true
	}
	return false // if it is the end: see above
}
