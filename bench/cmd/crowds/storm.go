package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

var storms = load{
	name: "storm",
	what: "Goroutines that do nothing but arm a timeout of 30 s and stop it: a new one, or one inside a new struct of " +
		"256 bytes (package time: a struct with a pointer to one), with and without a microsecond of work after each call. " +
		"Late: a heartbeat of 5 ms on the same timer, tick 1 ms. Beside: a heartbeat of 5 ms by package time in the same process, " +
		"which sees the same busy processors and none of the timer. Call: the time of an arm and stop, one in 64.",
	cases: stormCases,
}

const (
	stormBeat    = 5 * time.Millisecond
	stormBound   = 100_000 // for WithMaxPending
	callsPerLook = 64      // calls between two looks at the time, the last of which is measured
)

func stormCases(c config) (cases []testCase) {
	for _, g := range c.Goroutines {
		for _, k := range []kind{fresh, atOffset64, atSomeOffset} {
			for _, work := range []time.Duration{0, time.Microsecond} {
				cases = append(cases, stormCase(g, k, work))
			}
		}
		cases = append(cases, stormCase(g, fresh, 0, hashedwheel.WithMaxPending(stormBound)))
	}
	return cases
}

func stormCase(g int, k kind, work time.Duration, opts ...hashedwheel.Option) testCase {
	name := fmt.Sprintf("%d goroutines, %s", g, k)
	if work > 0 {
		name += fmt.Sprintf(", %v of work", work)
	}
	if len(opts) > 0 {
		name += fmt.Sprintf(", at most %s pending", numbers.Short(stormBound))
	}
	opts = append(opts, hashedwheel.WithTick(time.Millisecond))
	return testCase{name: name, oursOnly: len(opts) > 1, run: func(p peer, c config) []figure {
		s := &storm{timer: p.open(opts...), work: iterations(work)}
		return s.run(c, g, k)
	}}
}

// storm is goroutines that arm and stop.
type storm struct {
	timer timer
	work  int // iterations of spin
	heap  *heapWatch
	end   time.Time
	calls atomic.Int64
	mu    sync.Mutex
	took  histogram // guarded by mu
}

func (s *storm) run(c config, g int, k kind) []figure {
	quit := make(chan struct{})
	s.heap = watchHeap(c.Guard, quit)
	beat, beside := startHeartbeat(s.timer, stormBeat), startHeartbeat(std{}, stormBeat)
	start := time.Now()
	s.end = start.Add(c.Storm)
	var done sync.WaitGroup
	for range g {
		done.Go(func() { s.blow(s.timer.armStop(k)) })
	}
	done.Wait()
	wall, late, lateBeside := time.Since(start), beat.end(), beside.end()
	close(quit)

	figures := s.heap.figures()
	figures = append(figures, late.figures("late", time.Millisecond, 0.5, 0.99, 1)...)
	figures = append(figures, lateBeside.figures("beside", time.Millisecond, 0.5, 0.99)...)
	figures = append(figures, figure{Name: "calls, M/s", Value: float64(s.calls.Load()) / wall.Seconds() / 1e6})
	figures = append(figures, s.took.figures("call", time.Microsecond, 0.99, 0.999, 0.9999)...)
	refused := 100 * float64(s.timer.refused()) / float64(max(1, s.calls.Load()))
	return append(figures, figure{Name: "refused, %", Value: refused})
}

// blow is one goroutine's part.
func (s *storm) blow(armStop func()) {
	took, calls := new(histogram), int64(0)
	for start := time.Now(); start.Before(s.end) && !s.heap.over.Load(); {
		for range callsPerLook - 1 {
			armStop()
			spin(s.work)
		}
		start = time.Now()
		armStop()
		took.add(time.Since(start))
		spin(s.work)
		calls += callsPerLook
		s.heap.look()
	}
	s.calls.Add(calls)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took.include(took)
}

// spin is work that the compiler keeps.
func spin(n int) {
	x := uint64(0)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(&x)
}

// iterations returns how many of spin take so long: the fastest of some tries.
func iterations(d time.Duration) int {
	const n = 100_000
	least := time.Hour
	for range 10 {
		start := time.Now()
		spin(n)
		least = min(least, time.Since(start))
	}
	return int(n * float64(d) / float64(max(least, 1)))
}
