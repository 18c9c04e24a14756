package series_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// A plan has this many slots, with a call from outside in each.
const (
	slots = 150
	slot  = 100 * time.Microsecond
)

// plan holds all that differs from script to script: the kind of series, the actions of its runs and its Scheduler, and
// the calls from outside.
type plan struct {
	recurs        bool
	first, period time.Duration // Every's; first is from now
	delay         time.Duration // how long the executor keeps a run waiting
	acts          []act
	answers       []answer
	calls         []call // from outside, one a slot
	stopsAt       int    // the slot in which the timer is stopped; 0: before the series begins
}

// act describes one run.
type act struct {
	first, last call
	takes       time.Duration // 0: there is no last call
	fails       func()        // how it ends; nil: it returns
}

// answer describes one call of Next.
type answer struct {
	call
	in    time.Duration // the time that it returns, from now
	ends  bool          // it returns the zero time
	fails func()        // nil: it returns
}

// call is a call of a method by name; "" is none.
type call struct {
	name string
	d    time.Duration // of Reset
	at   time.Duration // in its slot, if the call is from outside
}

// series has the methods that a Series and the model have in common.
type series interface {
	Stop() bool
	Reset(d time.Duration) bool
	Next() time.Time
	Err() error
}

// of makes the call, and describes the result.
func (c call) of(s series) string {
	was := false
	switch c.name {
	case "":
		return "-"
	case "Stop":
		was = s.Stop()
	case "Reset":
		was = s.Reset(c.d)
	}
	return fmt.Sprintf("%s(%v): %v, next %v, %v", c.name, c.d, was, s.Next().Round(0), s.Err())
}

// newPlan makes a plan. No two things happen at the same time: delays are whole microseconds, and each call from
// outside and the end of a slow run add a different number of nanoseconds.
func newPlan(rnd *rand.Rand, delay time.Duration, isOnWorker bool) *plan {
	const none = 0
	pick := func(of ...time.Duration) time.Duration { return of[rnd.IntN(len(of))] }
	period := func() time.Duration {
		return pick(33*time.Microsecond, slot, 2*slot, 7*slot/2, aPeriod, 10*slot, time.Minute, time.Hour)
	}
	p := &plan{recurs: rnd.IntN(2) == 0, period: period(), delay: delay, stopsAt: rnd.IntN(4 * slots)}
	tenth := p.period / 10
	past := pick(none, slot, tenth-time.Microsecond, tenth, time.Second-time.Microsecond, time.Second, 50*p.period)
	p.first = pick(-min(past, time.Hour), -min(past, time.Hour), p.period, 3*p.period+slot/5)
	if rnd.IntN(20) == 0 {
		p.stopsAt = 0
	}
	oneIn := func(n int) call {
		switch rnd.IntN(3 * n) {
		case 0:
			return call{name: "Stop"}
		case 1:
			if p.recurs {
				return call{name: "Reset", d: pick(-time.Hour, none, period())}
			}
			return call{name: "Reset", d: period()}
		case 2:
			return call{name: "look"}
		}
		return call{}
	}
	failure := func(n int) func() {
		return map[int]func(){0: failures["panics"], 1: failures["exits"]}[rnd.IntN(2*n)]
	}
	for i := range slots {
		a := act{first: oneIn(4), last: oneIn(4), fails: failure(8)}
		if !isOnWorker && rnd.IntN(4) == 0 {
			a.takes = time.Duration(rnd.IntN(3000))*time.Microsecond + 3
		}
		in := pick(math.MinInt64, -time.Hour, -1, none, 1, slot, aPeriod, 10*slot, 20*slot)
		p.acts = append(p.acts, a)
		p.answers = append(p.answers, answer{oneIn(10), in, rnd.IntN(30) == 0, failure(30)})
		c := oneIn(12)
		c.at = time.Duration(rnd.IntN(int(slot/time.Microsecond)))*time.Microsecond + 6*time.Duration(i+1)
		p.calls = append(p.calls, c)
	}
	p.answers[0].call, p.answers[0].fails = call{}, nil // there is no series yet
	return p
}

// side is one of the two that carry out a plan: a Series, or the model.
type side struct {
	plan
	runs, asked int
	act         act // of the last run
	mu          sync.Mutex
	trace       []string // guarded by mu
}

func (s *side) note(at time.Time, what ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trace = append(s.trace, fmt.Sprint(at.Format("05.000000000 "), what))
}

func (s *side) notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trace
}

func (s *side) nextAct() act {
	s.act = s.acts[s.runs%slots]
	s.runs++
	return s.act
}

func (s *side) nextAnswer() answer {
	s.asked++
	return s.answers[(s.asked-1)%slots]
}
