package fuzz

import (
	"math"
	"time"
)

const years = 365 * int64(24*time.Hour)

func (s *script) byte() byte {
	if len(s.in) == 0 {
		return 0
	}
	b := s.in[0]
	s.in = s.in[1:]
	return b
}

func pick[E any](s *script, of []E) E { return of[int(s.byte())%len(of)] }

// delay decodes a delay: all delays that are special to a wheel, and many that are not.
func (s *script) delay() int64 {
	tick, b := s.model.tick, int64(s.byte())
	n := b >> 3
	switch b & 7 {
	case 0:
		return []int64{0, -1, 1, -tick, math.MinInt64, math.MaxInt64, never, never - tick}[n&7]
	case 1:
		return tick / 33 * (n + 1) // less than a tick
	case 2:
		return tick * n
	case 3:
		return tick*n + []int64{-1, 1}[s.byte()&1]
	case 4:
		return s.turn*n - int64(s.byte()&1)
	case 5:
		return s.turn<<(6*(n&3)) + s.model.tick*(n>>2-3) // where an overflow ring begins
	case 6:
		return int64(24*time.Hour)*n + int64(s.byte())
	default:
		return -tick * n * int64(s.byte()) // the past
	}
}

// amount decodes the amount by which to advance.
func (s *script) amount() int64 {
	tick, b := s.model.tick, int64(s.byte())
	switch n := b >> 3; b & 7 {
	case 0:
		return 0
	case 1:
		return tick / 33 * (n + 1)
	case 2, 3:
		return tick * n
	case 4:
		return s.model.nextTick(s.model.now) - s.model.now - 1 // just short of the next tick
	case 5:
		return s.turn*n + 1
	case 6:
		return int64(24*time.Hour) * (n & 15)
	default:
		if n < 30 {
			return tick
		}
		return 4 * years
	}
}

// entry chooses one of the timeouts: inside a task, often its own, or another due at the same tick.
func (s *script) entry() *entry {
	b := int(s.byte())
	if s.self != nil && b < 32 {
		return s.self
	}
	if n := len(s.model.pending); n > 0 && b < 128 {
		return s.model.pending[b%min(n, 8)]
	}
	if len(s.entries) == 0 {
		return s.own()
	}
	return s.entries[b%len(s.entries)]
}

// call makes the next call of the stream, except Advance, which it leaves to the caller.
func (s *script) call() (advance int64) {
	switch c := pick(s, s.calls); c {
	case 'a':
		s.afterFunc(s.delay())
	case 's':
		s.schedule(s.delay())
	case 'o':
		s.reset(s.own(), s.delay())
	case 'b':
		s.burst(int(s.byte())%150, s.delay())
	case 'S':
		s.stop(s.entry())
	case 'R', 'M', 'C':
		s.rearm(c, s.entry(), s.delay())
	case 't', 'v', 'c':
		s.rearm(c, s.entry(), clampDeadline(s.model.now+clampDeadline(s.delay())))
	case 'm':
		e := s.entry()
		s.rearm('t', e, clampDeadline(e.deadline+[]int64{0, 1, -1, s.delay() / 2, -s.delay() / 2}[s.byte()%5]))
	case 'P':
		s.log("Pending", -1, 0)
		s.compareDrained()
	case 'x':
		s.own() // stays Unarmed until something resets it
	case '!':
		if s.byte() < 40 {
			s.stopTimer()
		}
	case 'E':
		s.runAnyJob()
	case 'A':
		d := max(0, min(s.amount(), s.end()-s.target))
		s.log("Advance", -1, d)
		return d
	}
	return none
}
