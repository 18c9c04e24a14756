package fuzz

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

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
	s.advancing = true
	s.elsewhere(func() {
		s.manual.Advance(time.Duration(d))
		arrived = true
	})
	if d > 0 {
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
