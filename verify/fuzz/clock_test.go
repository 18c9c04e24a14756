package fuzz

import (
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// clockKind is the clock that a script's timer is on.
type clockKind byte

const (
	onManual clockKind = iota // a ManualClock
	onSystem                  // the default, on a bubble's time
	onHand                    // a handClock, in a bubble whose time means nothing
	clockKinds
)

func (s *script) withClock() []hashedwheel.Option {
	s.start = time.Date(2024, 2, 28, 23, 59, 59, 1, time.UTC)
	switch s.clock {
	case onManual:
		s.manual = hashedwheel.NewManualClock(s.start)
		return []hashedwheel.Option{hashedwheel.WithClock(s.manual)}
	case onHand:
		s.hand = newHandClock(s.start)
		return []hashedwheel.Option{hashedwheel.WithClock(s.hand)}
	}
	s.start = time.Now()
	return nil
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
	switch s.clock {
	case onManual:
		return int64(s.manual.Now().Sub(s.start))
	case onHand:
		return int64(s.hand.Now().Sub(s.start))
	}
	return int64(time.Since(s.start))
}

// look shows the model the time. While the clock is moving, its distance from the target stays the same.
func (s *script) look() {
	s.model.now = s.now()
	if s.hand != nil {
		var by int64
		s.model.leap, by = s.hand.history()
		s.target = min(s.target+by, lastTime)
	}
}

// advance moves the clock on by d, and by the rest of an earlier advance that a task ended. The caller holds mu.
func (s *script) advance(d int64) {
	s.target += d
	switch s.clock {
	case onManual:
		s.broken = !s.attempt()
		s.settle()
	case onSystem:
		for d = s.target - s.now(); d > 0; d = s.target - s.now() {
			s.sleep(d)
		}
	case onHand:
		s.walk()
	}
	s.look()
	if !s.broken {
		s.check(s.model.now == s.target, "the clock went to %d, not %d", s.model.now, s.target)
		s.checkNothingOverdue()
	}
}

// extend lengthens the advance in progress, or the next one. It is for calls that the timer waits for.
func (s *script) extend(d int64) {
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
	s.advancing = false
	return arrived
}

func (s *script) sleep(d int64) {
	s.mu.Unlock()
	time.Sleep(time.Duration(d))
	synctest.Wait()
	s.mu.Lock()
}

// walk moves the hand clock to the target, through every instant at which it has been asked to ring, so that each task
// sees its own time.
func (s *script) walk() {
	s.settle()
	for steps := 0; s.now() != s.target && s.failure == ""; steps++ {
		s.hand.moveTo(time.Duration(s.target))
		s.settle()
		s.check(steps < 3*len(s.trace), "the worker ticks, and nothing happens")
	}
}

// setClock sets the hand clock.
func (s *script) setClock(d int64) {
	s.log("set clock", -1, d)
	s.hand.set(time.Duration(d))
	s.look()
}

// setTrap makes the hand clock be set while the worker calls After: not by less than a tick, which may delay the alarm
// by as much, and not if tasks have begun that have yet to read the clock.
func (s *script) setTrap(d int64) {
	if !s.tasksWait() && d >= s.model.slack {
		s.log("set clock in After", -1, d)
		s.hand.setTrap(time.Duration(d))
	}
}
