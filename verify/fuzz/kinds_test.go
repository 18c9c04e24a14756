package fuzz

import (
	"runtime"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// executorKind is the executor of a script's timer.
type executorKind byte

const (
	withInline     executorKind = iota // Inline
	withOwnInline                      // the user's own, which runs tasks at once
	withGoroutines                     // each task waits in its goroutine until the stream runs it
	withQueue                          // the user's own, which queues them
	withWhims                          // the user's own, which does anything
	executorKinds
)

func (s *script) withExecutor() []hashedwheel.Option {
	switch s.executor {
	case withInline:
		return []hashedwheel.Option{hashedwheel.WithExecutor(hashedwheel.Inline{})}
	case withGoroutines:
		if s.clock == onManual { // there the default is Inline
			return []hashedwheel.Option{hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { go f() }))}
		}
		return nil
	}
	return []hashedwheel.Option{hashedwheel.WithExecutor(s)}
}

// job is a task that the executor has, and has not run yet.
type job struct {
	e         *entry
	f         func()
	isGivenUp bool
}

// Go is the executor. The worker calls it right after the claim, so the states show which timeout has expired.
func (s *script) Go(f func()) {
	s.mu.Lock()
	e := s.claimed()
	if e == nil || s.failure != "" {
		s.mu.Unlock()
		return
	}
	s.handed(e)
	nested := s.nested
	s.nested = true
	does := s.whim(job{e: e, f: f})
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.nested = nested
		s.mu.Unlock()
	}()
	does()
}

func (s *script) claimed() *entry {
	for _, e := range s.model.pending {
		if e.to.State() == hashedwheel.Expired {
			return e
		}
	}
	s.check(false, "the executor got the task of a timeout that was not due")
	return nil
}

// whim decides how the executor treats a job.
func (s *script) whim(j job) (does func()) {
	b := s.byte() & 15
	switch {
	case s.executor == withOwnInline:
		return j.f
	case s.executor == withQueue:
		return s.keep(j)
	case b < 4:
		return j.f
	case b < 8:
		return s.keep(j)
	case b < 10:
		s.step() // it calls the timer itself
		return s.keep(j)
	case b == 10:
		return s.drop(j, runtime.Goexit)
	case b == 11:
		s.lost++
		return s.drop(j, func() {})
	case b == 12:
		return s.giveUp(j, runtime.Goexit)
	case b == 13:
		return s.drop(j, s.panics(j))
	case b == 14:
		return s.giveUp(j, s.panics(j))
	}
	return func() {
		j.f()
		s.panics(j)()
	}
}

func (s *script) keep(j job) func() {
	s.jobs = append(s.jobs, j)
	return func() {}
}

// giveUp keeps a job for which Shutdown does not wait, because the executor panics or ends its goroutine now.
func (s *script) giveUp(j job, does func()) func() {
	j.isGivenUp = true
	s.keep(j)
	return does
}

// drop never runs a job.
func (s *script) drop(j job, does func()) func() {
	s.log("drop", j.e.id, 0)
	s.dropped++
	j.e.owed--
	return does
}

func (s *script) panics(j job) func() {
	return func() {
		s.mu.Lock()
		s.log("Go panics", j.e.id, 0)
		s.panicking, s.handled = j.e, func() {}
		s.mu.Unlock()
		panic(misbehave{})
	}
}

// tasksWait reports whether tasks are in goroutines that wait for their turn.
func (s *script) tasksWait() bool { return s.executor == withGoroutines }

// await makes the goroutine of a task wait for its turn. The returned func ends it.
func (s *script) await(e *entry) (end func()) {
	release, done := make(chan struct{}), make(chan struct{})
	s.keep(job{e: e, f: func() {
		close(release)
		<-done
	}})
	s.mu.Unlock()
	<-release
	s.mu.Lock()
	return func() { close(done) }
}

func (s *script) runAnyJob() {
	if n := len(s.jobs); n > 0 && !(s.nested && s.tasksWait()) {
		s.runJob(int(s.byte()) % n)
	}
}

// runJob runs a job, then waits until the timer has noticed its end.
func (s *script) runJob(i int) {
	j := s.jobs[i]
	s.jobs = slices.Delete(s.jobs, i, i+1)
	self, waits := s.self, 1
	if j.isGivenUp {
		waits = 0
	}
	s.active += waits
	s.elsewhere(j.f)
	s.settle()
	s.active -= waits
	s.self = self
}

// elsewhere runs f in another goroutine, which it may end, and waits for it. The caller holds mu.
func (s *script) elsewhere(f func()) {
	done := make(chan struct{})
	s.mu.Unlock()
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil && r != any(misbehave{}) {
				panic(r)
			}
		}()
		f()
	}()
	<-done
	s.mu.Lock()
}

// ending decides how a task ends. end ends the turn of its goroutine: after the panic handler, if it panics.
func (s *script) ending(e *entry, end func()) func() {
	switch b := s.byte(); {
	case b >= 1 && b < 8:
		s.log("panic", e.id, 0)
		s.panicking, s.handled = e, end
		return func() { panic(misbehave{}) }
	case b > 250:
		s.log("Goexit", e.id, 0)
		return func() {
			end()
			runtime.Goexit()
		}
	}
	return end
}

// clockKind is the clock that a script's timer is on.
type clockKind byte

const (
	onManual clockKind = iota // a ManualClock
	onSystem                  // the default, on a bubble's time
	clockKinds
)

func (s *script) withClock() []hashedwheel.Option {
	if s.clock == onSystem {
		s.start = time.Now()
		return nil
	}
	s.start = time.Date(2024, 2, 28, 23, 59, 59, 1, time.UTC)
	s.manual = hashedwheel.NewManualClock(s.start)
	return []hashedwheel.Option{hashedwheel.WithClock(s.manual)}
}

// Clocks stay within the range of deadlines, beyond which a timer reads no time. A ManualClock may go beyond it, and
// shows that the timer copes.
const lastTime = 9 * years

func (s *script) end() int64 {
	if s.clock == onManual {
		return 100 * years
	}
	return lastTime
}

func (s *script) now() int64 {
	if s.clock == onManual {
		return int64(s.manual.Now().Sub(s.start))
	}
	return int64(time.Since(s.start))
}

// look shows the model the time.
func (s *script) look() {
	s.model.now = s.now()
	if s.advancing {
		s.model.closed = s.model.now
	}
}

// advance moves the clock on by d, and by the rest of an earlier advance that a task ended. The caller holds mu.
func (s *script) advance(d int64) {
	s.target += d
	if s.clock == onManual {
		s.broken = !s.attempt()
	}
	s.settle()
	if !s.broken {
		s.check(s.model.now == s.target, "the clock went to %d, not %d", s.model.now, s.target)
		s.checkNothingOverdue()
	}
}

// extend is advance for calls that the timer waits for. It lengthens an Advance that is in progress, or the next one.
// On the system's clock it blocks the worker: timeouts that fall due in this time are late.
func (s *script) extend(d int64) {
	if s.clock == onSystem {
		s.model.woken = s.now() + d + 1 // a run that is overdue comes a nanosecond after it is set
		s.target = max(s.target, s.model.woken)
		s.sleep(d)
		s.look()
		return
	}
	s.target += d
	if s.advancing {
		s.manual.Advance(time.Duration(d)) // returns at once
	}
}

// attempt reports whether Advance reached its end, and no task ended it.
func (s *script) attempt() (arrived bool) {
	d := s.target - s.now()
	stops := d > 0 || len(s.model.pending) > 0 && s.model.pending[0].due <= s.model.now
	s.advancing = true
	s.elsewhere(func() {
		s.manual.Advance(time.Duration(d))
		arrived = true
	})
	if stops {
		s.look()
	}
	s.advancing = false
	return arrived
}

func (s *script) sleep(d int64) {
	s.mu.Unlock()
	time.Sleep(time.Duration(d))
	s.mu.Lock()
}
