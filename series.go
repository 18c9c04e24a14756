package hashedwheel

import (
	"sync"
	"time"
)

// A Series is a task that runs again and again: see Every and Recur. It is safe for
// concurrent use, from inside its own runs too, and must not be copied.
//
// It is built on one Timeout, armed for the next run before each run begins. So it counts as
// one pending timeout, but as none from the moment a run is due until the Executor begins it.
// If WithMaxPending lets something else take the place just then, the next run is refused and
// ends the series: see Err.
//
// Timer.Stop ends every series, and returns its Timeout among the others. A run that had
// expired by then still takes place.
type Series struct {
	to        Timeout // for the next run
	f         func(*Series)
	scheduler Scheduler // nil for one of Every

	mu      sync.Mutex // guards all below; not held while f, the Scheduler or the clock is called
	start   time.Time  // the grid of one of Every: this and whole periods
	period  time.Duration
	on      bool // neither Stop nor the Scheduler has ended it
	asking  bool // a goroutine calls the Scheduler
	reset   bool // Reset was called meanwhile
	running bool // f has been called and has not returned
	missed  bool // the run that the Timeout is armed for came due while f was running
}

// A Scheduler says when a series runs next: at a time after now, or never again if it returns
// the zero time. robfig/cron's Schedule is one. Recur calls Next once. Then, for each time that
// it gave, the goroutine about to run f, or to leave that run out, calls it again; never two at
// a time.
type Scheduler interface {
	Next(now time.Time) time.Time
}

// Every runs f every period, first one period from now, until the Series or the timer is
// stopped. Runs are due on the fixed grid of now plus whole periods, each at most one tick
// late, so they never drift. With a period below the tick f runs once a tick. A run that is
// due while another has not returned is left out: no overlap, and no bursts after a stall.
//
// The Executor runs f. The next run is armed before that, so a panic that the panic handler
// recovers, or runtime.Goexit, ends one run alone. If the timer is stopped or full, f does not
// run: see Err. Every panics if period is not positive, and if f is nil. A series costs one
// allocation, a run none but the executor's.
func (tm *Timer) Every(period time.Duration, f func(*Series)) *Series {
	if period <= 0 {
		panic("hashedwheel: Every with a period that is not positive")
	}
	if f == nil {
		panic("hashedwheel: Every with a nil func")
	}
	s := &Series{f: f}
	s.to.Init(tm, (*nextRun)(s))
	s.begin(tm.Now(), period)
	return s
}

// Recur runs f at the times that scheduler gives, until the Series or the timer is stopped,
// or the Scheduler returns the zero time or panics. All else is as with Every. Recur panics
// if scheduler or f is nil, and if the first call of Next does.
//
// A time without a monotonic reading, as a calendar gives, is waited for as long as the wall
// clock says it is away when Next is called. If the wall clock is set back meanwhile, the
// calendar gives that time again. Next is called up to a tick late, and what it does not give
// then is passed over: for times less than two ticks apart take a shorter tick, or Every.
func (tm *Timer) Recur(scheduler Scheduler, f func(*Series)) *Series {
	if scheduler == nil {
		panic("hashedwheel: Recur with a nil Scheduler")
	}
	if f == nil {
		panic("hashedwheel: Recur with a nil func")
	}
	s := &Series{f: f, scheduler: scheduler}
	s.to.Init(tm, (*nextRun)(s))
	now := s.now()
	if at := scheduler.Next(now); !at.IsZero() {
		s.begin(now, at.Sub(now))
	}
	return s
}

// Stop ends the series, and reports whether this call did: then no further run begins, not even
// one that is with the Executor already. It does not wait for a run that has begun.
func (s *Series) Stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stopped := s.on && (s.to.Stop() || s.to.State() == Expired) // expired: its run finds the series off
	s.on = false
	return stopped
}

// Reset begins the series anew, even one that somebody stopped meanwhile, and reports
// whether it had not ended. One of Every has d as its period, and Reset panics if d is
// not positive. One of Recur runs d from now, zero at least, then as the Scheduler says. A
// run that has not begun is left out. If the timer is stopped or full the series has ended.
func (s *Series) Reset(d time.Duration) bool {
	if s.scheduler == nil && d <= 0 {
		panic("hashedwheel: Reset of a Series to a period that is not positive")
	}
	return s.begin(s.to.Timer().Now(), d)
}

// Next returns when the next run is due, or that of a run that waits for the Executor; the
// zero time if the series has ended.
func (s *Series) Next() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOn() {
		return time.Time{}
	}
	return s.to.Deadline()
}

// Err returns ErrFull or ErrStopped if the timer refused a run, which ended the series.
func (s *Series) Err() error { return s.to.Err() }

// begin is Reset at a time.
func (s *Series) begin(now time.Time, d time.Duration) (wasOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wasOn = s.isOn()
	s.start, s.period = now, d
	s.on, s.reset, s.missed = true, s.asking, false
	s.armIn(d, now)
	return wasOn
}

// isOn reports whether another run is to come: the timer may have refused it, or stopped.
// The caller holds mu.
func (s *Series) isOn() bool {
	state := s.to.State()
	return s.on && (state == Pending || state == Expired)
}

// armIn arms the Timeout for d from now, no earlier than the next tick. The caller holds mu.
func (s *Series) armIn(d time.Duration, now time.Time) {
	s.to.ResetAt(now.Add(max(d, 1)))
}
