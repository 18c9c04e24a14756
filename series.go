package hashedwheel

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/grid"
	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// A Series is a task that runs again and again: see EveryFrom and Recur. It is safe for concurrent use, including from
// inside its own runs, and must not be copied. The methods of the zero Series panic, except String.
//
// Each run has the next one armed when it has ended, so runs never overlap. Timer.Pending counts a Series, except from
// the moment a run is due until it has ended. Timer.StopAll ends every series; a run that is due by then still starts.
type Series struct {
	to        Timeout       // for the next run; armed and stopped under mu only
	f         func(*Series) // set by newSeries, then read only, like the next
	scheduler Scheduler     // nil: the runs are on the grid

	mu      sync.Mutex // guards all below; f and the Scheduler are called without it
	grid    grid.Grid
	on      bool // neither Stop nor the Scheduler has ended the series
	running bool // a run is in progress: from begin until armNext
}

// A Scheduler returns when a series runs next: a time after now, or the zero time for never again. Next is called by
// Recur, then at the end of each run, by its goroutine; never concurrently. robfig/cron's Schedule fits.
type Scheduler interface {
	Next(now time.Time) time.Time
}

// A point of the grid that passed less than period/justPassed ago still gets a run, at once: EveryFrom reads the clock
// after its caller has, so a first run at tm.Now() would otherwise be skipped.
const justPassed = 10

// Every is EveryFrom with the first run one period from now.
func (tm *Timer) Every(period time.Duration, f func(*Series)) *Series {
	return tm.EveryFrom(tm.Now().Add(period), period, f)
}

// EveryFrom has the Executor run f at the time first and every period after that, each at most one tick late, until the
// Series or the timer is stopped. Runs are due on the grid of first plus whole periods, so they never drift. A run that
// is due before the last has returned is skipped: no overlap, and no bursts after a stall. With a period below the tick
// f runs about once a tick.
//
//	tm.EveryFrom(tm.Now(), period, f)                     // at once
//	tm.EveryFrom(tm.Now().Add(rand.N(period)), period, f) // spread: many series do not run together
//	tm.EveryFrom(time.Now().Truncate(period).Add(period), period, f) // aligned: on the hour, by UTC
//
// If first has passed, the first run is due at the next point of the grid, or at once if the last point passed less
// than a tenth of the period ago, and less than a second. Setting the wall clock does not move the grid. A panic of f
// that the panic handler recovers, or runtime.Goexit, ends only that run. If the timer is stopped, f does not run: see
// Err. EveryFrom panics if period is not positive, or f is nil. It allocates once; a run allocates nothing, except in
// the Executor.
func (tm *Timer) EveryFrom(first time.Time, period time.Duration, f func(*Series)) *Series {
	if period <= 0 {
		panic("hashedwheel: Every with a period that is not positive")
	}
	s := tm.newSeries("Every", nil, f)
	now := tm.Now()
	g := grid.Through(first, period, now)
	s.armFirst(g, g.First(now.Add(-min(period/justPassed, time.Second))))
	return s
}

// Recur runs f at the times that scheduler returns, until the Series or the timer is stopped, or the Scheduler returns
// the zero time or panics. Otherwise it is like EveryFrom. Recur panics if scheduler or f is nil, and if the first call
// of Next does.
//
// A time of a calendar, which has no monotonic reading, is compared with the wall clock when Next is called. If the
// wall clock is set back after that, the calendar returns the same time again. Next is called at the end of a run, so
// times that pass before that are skipped.
func (tm *Timer) Recur(scheduler Scheduler, f func(*Series)) *Series {
	if scheduler == nil {
		panic("hashedwheel: Recur with a nil Scheduler")
	}
	s := tm.newSeries("Recur", scheduler, f)
	if at, more := s.ask(); more {
		s.armFirst(grid.Grid{}, at)
	}
	return s
}

func (tm *Timer) newSeries(maker string, scheduler Scheduler, f func(*Series)) *Series {
	if f == nil {
		panic("hashedwheel: " + maker + " with a nil func")
	}
	s := &Series{f: f, scheduler: scheduler}
	s.to.Init(tm, (*nextRun)(s))
	return s
}

// Stop ends the series, and reports whether this call did: if so, no further run begins, even one that waits in the
// Executor. Stop does not wait for a run that has begun, which may be about to call f.
func (s *Series) Stop() bool {
	defer s.lock().Unlock()
	wasOn := s.on
	s.on = false
	return wasOn && (s.to.Stop() || s.to.State() == Expired) // neither if the timer has refused or canceled the run
}

// Reset begins the series again, even after Stop, and reports whether it was on. For Every and EveryFrom d is the new
// period, counted from now; Reset panics if d is not positive. For Recur the next run is d from now, and the Scheduler
// sets the others. A run that has not begun is skipped, and so is the run d from now if the last one is still in
// progress then. A stopped timer refuses, which ends the series: see Err.
func (s *Series) Reset(d time.Duration) bool {
	s.lock().Unlock() // only to panic if s is zero
	if s.scheduler == nil && d <= 0 {
		panic("hashedwheel: Reset of a Series to a period that is not positive")
	}
	now := s.to.timer.Now()
	return s.armFirst(grid.Grid{Point: now, Period: d}, now.Add(max(d, 1)))
}

// Next returns the time at which the next run is due, or the zero time once s has ended. During a run it returns the
// time at which that run was due, unless Reset has armed another.
func (s *Series) Next() (at time.Time) {
	defer s.lock().Unlock()
	if s.isOn() {
		at = s.to.Deadline()
	}
	return at
}

// Err returns ErrStopped if the timer has refused a run, which ended the series, otherwise nil, even if Timer.StopAll
// ended s.
func (s *Series) Err() error {
	defer s.lock().Unlock()
	return s.to.Err()
}

// String returns the period or the Scheduler, the time of the next run, and the function.
func (s *Series) String() string {
	if s.f == nil {
		return "hashedwheel.Series(zero)"
	}
	when, next := "by "+taskname.Of(s.scheduler), "ended"
	defer s.lock().Unlock()
	if s.scheduler == nil {
		when = "every " + s.grid.Period.String()
	}
	if s.isOn() {
		next = "next " + s.to.Deadline().Format(time.DateTime+".000")
	}
	return fmt.Sprintf("hashedwheel.Series(%s, %s, %s)", when, next, taskname.Of(s.f))
}

// lock locks mu, for defer s.lock().Unlock().
func (s *Series) lock() *sync.Mutex {
	if s.f == nil {
		panic("hashedwheel: zero Series: Every, EveryFrom and Recur make one")
	}
	s.mu.Lock()
	return &s.mu
}

// armFirst arms the Timeout for the first run, and reports whether the series was on.
func (s *Series) armFirst(g grid.Grid, at time.Time) (wasOn bool) {
	defer s.lock().Unlock()
	wasOn = s.isOn()
	s.grid, s.on = g, true
	s.to.ResetAt(at)
	return wasOn
}

// isOn reports whether another run will follow: s is on, and the timer has neither refused nor canceled the run.
func (s *Series) isOn() bool {
	state := s.to.State() // once: the worker may change it
	return s.on && (state == Pending || state == Expired)
}

// nextRun is a Series as the Task of its Timeout, whose state is that of the next run:
//
//	  Every, Recur                its time               begin          f and Scheduler return: armNext
//	──────────────▶ Pending ────────────────▶ Expired ───────────▶ running ───▶ Pending
//	                 ▲                        │                    │
//	                 └────────────────────────┴────────────────────┘ Reset
//
// Whoever finds the Timeout Expired, under mu, and no run in progress, may begin a run. The run in progress arms the
// next one, unless Reset arms it first or Stop ends the series: then the Timeout is no longer Expired, or the series no
// longer on. A run that Reset has armed may be due while f runs: it is skipped, since the Timeout is Expired again, and
// the run in progress arms the next one as if Reset had not been called.
type nextRun Series

// Run calls f, then arms the Timeout for the next run.
func (r *nextRun) Run(*Timeout) {
	s := (*Series)(r)
	if s.begin() {
		defer s.armNext() // deferred: f may panic or end the goroutine
		s.f(s)
	}
}

// Brief makes r a task of the library, which runs user code.
func (r *nextRun) Brief() hook.Brief { return false }

// begin begins a run, and reports false if it is skipped: Stop or Reset has been called since it was due, or another is
// in progress. If Reset has armed a run that is due by now, this run takes its place.
func (s *Series) begin() bool {
	defer s.lock().Unlock()
	if !s.on || s.running || s.to.State() != Expired {
		return false
	}
	s.running = true
	return true
}

// armNext ends a run: it arms the next one, unless Stop or Reset was called during this one. A Scheduler that panics or
// ends the goroutine ends the series.
func (s *Series) armNext() {
	var at time.Time
	more := s.scheduler == nil
	defer func() {
		defer s.lock().Unlock()
		s.running = false
		switch {
		case !s.on || s.to.State() != Expired: // Stop or Reset came first
		case !more:
			s.on = false
		case s.scheduler == nil:
			s.to.ResetAt(s.grid.After(s.to.timer.Now()))
		default:
			s.to.ResetAt(at)
		}
	}()
	if !more {
		at, more = s.ask()
	}
}

// ask returns the Scheduler's next time, if there is one.
func (s *Series) ask() (at time.Time, more bool) {
	now := s.to.timer.Now()
	next := s.scheduler.Next(now)
	return now.Add(max(next.Sub(now), 1)), !next.IsZero()
}
