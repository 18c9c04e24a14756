package hashedwheel

import (
	"sync/atomic"
	"time"
)

// A Scheduler says when a series runs next. Next returns a time after now, or
// the zero time to end the series; robfig/cron's Schedule is one. Next is called
// by Recur, then before each run by the goroutine that runs it, never twice at
// the same time for one series.
type Scheduler interface {
	Next(now time.Time) time.Time
}

// Every runs f every period, first one period from now, until the returned
// Timeout or the timer is stopped. The runs are due on the fixed grid of now plus
// whole periods, each at most one tick late, so they never drift. A run that is
// still on when the next is due makes that one be skipped: f never overlaps
// itself, and there are no bursts after a stall.
//
// The Timeout is pending all the time, while f runs too, and counts as one. Stop
// ends the series, from inside f too; Reset moves the next run, after which the
// grid goes on. A panic in f crashes the program, or with a panic handler ends
// that run alone. If the timer is stopped or full the Timeout is Rejected; a
// series that has begun keeps its place under WithMaxPending.
//
// Like time.NewTicker it panics if period is not positive.
func (t *Timer) Every(period time.Duration, f func()) *Timeout {
	if period <= 0 {
		panic("hashedwheel: Every with a period that is not positive")
	}
	if f == nil {
		panic("hashedwheel: Every with a nil func")
	}
	return t.Recur(grid{t.clock.Now(), min(period, maxDeadline)}, f)
}

// Recur runs f at the times that s gives, until the returned Timeout or the
// timer is stopped or s returns the zero time. All else is as with Every. A
// series that s has ended is Cancelled, one that it never began is Idle.
//
// A time without a monotonic reading, as a calendar gives, is waited for as long
// as the wall clock says it is away when Next returns it.
func (t *Timer) Recur(s Scheduler, f func()) *Timeout {
	if s == nil {
		panic("hashedwheel: Recur with a nil Scheduler")
	}
	if f == nil {
		panic("hashedwheel: Recur with a nil func")
	}
	to := &Timeout{timer: t, task: &series{scheduler: s, f: f}}
	now := t.clock.Now()
	if next := s.Next(now); !next.IsZero() {
		_, _ = to.arm(t, t.deadlineFrom(now, next))
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
	running   atomic.Bool
}

// Run arms the next run before it calls f: so Stop finds the Timeout pending
// even while f runs. An expiry that was stopped or reset before Run came to it is
// no longer Expired, and void.
func (s *series) Run(to *Timeout) {
	t := to.timer
	now := t.clock.Now()
	next, deadline := s.scheduler.Next(now), int64(maxDeadline)
	if !next.IsZero() {
		deadline = t.deadlineFrom(now, next)
	}
	if was, _ := to.armFrom(Expired, deadline); !was {
		return
	}
	if next.IsZero() {
		to.Stop() // over: whoever calls Stop from here on is told so
	}
	if !s.running.CompareAndSwap(false, true) {
		return // the run before is still on
	}
	defer s.running.Store(false) // deferred: f may panic
	s.f()
}
