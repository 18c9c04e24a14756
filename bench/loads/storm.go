package loads

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var storms = Load{
	Name: "storm",
	Flat: true,
	What: "Goroutines that do nothing but arm a timeout of 30 s and stop it. New: a new timeout for each call. In a struct: in (package time: " +
		"behind a pointer in) a new struct of 256 bytes. Owned: Reset and Stop of a timeout that each goroutine keeps. Calls of 5 ms: each timeout is stopped " +
		"5 ms after its arming, with at most a million in flight. One timeout in 1,024 is not stopped and expires after 20 ms; each of these must run once, every Stop must " +
		"report that it canceled, and nothing may be pending in the end. Peak heap counts from the beginning of the storm. Beyond pending: the peak heap without " +
		"twice the memory of the timeouts in flight, which the collector allows them. Heartbeat: every 5 ms on the same timer, counted at every point of its grid during a " +
		"stall. Beside: the same heartbeat by package time in the same process. Call: the time of one call in 64. Handicap: the wheel spends so much " +
		"longer on filing each timeout, for the ratio of producers to filing of a machine with more processors.",
	Cases: stormCases,
}

const (
	stormTick    = 10 * ms
	stormBeat    = 5 * ms
	stormFlying  = 1 << 20 // calls in flight, of all goroutines together
	callsPerLook = 64      // calls between two clock reads; one of them is measured
	callsExpire  = 1024    // one in so many expires
	stormExpiry  = 20 * ms
	stormHeap    = 6 << 30 // bytes of heap at which a storm is called off
)

// kind is how the goroutines of a storm arm and stop.
type kind struct {
	name  string
	calls func(s *storm) func()
}

var kinds = []kind{
	{"new", (*storm).callNew},
	{"in a struct", (*storm).callInside},
	{"owned", (*storm).callOwned},
	{"calls of 5ms", (*storm).callFlying},
}

func stormCases(c Config) (cases []Case) {
	handicaps, crowds := []time.Duration{0, 100, 600}, []int{2, 8, 24, 64, 256}
	if c.Scale < 1 {
		handicaps, crowds = []time.Duration{0}, []int{2, 24}
	}
	for _, handicap := range handicaps {
		for _, tick := range []time.Duration{ms, stormTick} {
			for _, g := range crowds {
				for _, k := range kinds {
					cases = append(cases, stormCase(g, k, tick, handicap))
				}
			}
		}
	}
	return cases
}

func stormCase(g int, k kind, tick, handicap time.Duration) Case {
	name := fmt.Sprintf("%d goroutines, %s, tick %v", g, k.name, tick)
	if handicap > 0 {
		name += fmt.Sprintf(", handicap %v", handicap)
	}
	part := pair
	if tick == stormTick && k.name == "new" && handicap == 0 && (g == 2 || g == 24) {
		part = nil // all
	}
	return Case{
		Name: name, Tick: tick, Only: part, Handicap: handicap,
		Run: func(p peers.Peer, c Config) ([]Figure, error) {
			s := &storm{timer: p.Open(tick), goroutines: g, limit: stormHeap}
			settle(tick, 0)
			return s.run(p, c, k, tick)
		},
	}
}

// storm is goroutines that arm and stop.
type storm struct {
	timer      peers.Timer
	goroutines int
	limit      float64 // bytes of heap
	heap       *heapWatch
	end        time.Time
	fired      tally
	calls      atomic.Int64
	left       atomic.Int64 // calls left to expire
	denied     atomic.Int64 // Stops that reported false
	flying     atomic.Int64 // calls in flight
	mostFlying atomic.Int64
	hangUps    []func() // stop the calls in flight
}

func (s *storm) run(p peers.Peer, c Config, k kind, tick time.Duration) ([]Figure, error) {
	each := s.bytesOfOne()
	calls := make([]func(), s.goroutines)
	took := make([]sample, s.goroutines)
	for i := range calls {
		calls[i], took[i] = k.calls(s), newSample(500_000/s.goroutines)
	}
	runtime.GC()
	s.heap = watchHeap(s.limit)
	beat, besides := startBeats(s.timer, stormBeat), startStdBeats(stormBeat)
	start := time.Now()
	s.end = start.Add(c.Time(3 * time.Second))
	var done sync.WaitGroup
	for i, call := range calls {
		done.Go(func() { s.blow(call, &took[i]) })
	}
	done.Wait()
	wall, late, lateBeside := time.Since(start), beat.end(), besides.end()
	peak := Figure{Name: "peak heap", Unit: MiB, Value: s.heap.end()}
	if s.heap.over.Load() {
		peak.Mark = calledOff
	}
	for _, hangUp := range s.hangUps {
		hangUp()
	}
	room := 2 * float64(s.mostFlying.Load()) * each / mib
	figures := []Figure{
		{Name: "calls", Unit: PerSecond, Value: float64(s.calls.Load()) / wall.Seconds()},
		peak,
		{Name: "beyond pending", Unit: MiB, Value: max(0, peak.Value-room), Mark: peak.Mark},
	}
	figures = append(figures, quantiles("heartbeat late ", Millis, late, "p50", "p99", "max")...)
	figures = append(figures, quantiles("beside late ", Millis, lateBeside, "p50", "p99", "max")...)
	var all []float64
	for i := range took {
		all = append(all, took[i].values...)
	}
	figures = append(figures, quantiles("call ", Micros, all, "p99", "p99.9", "p99.99")...)
	return figures, s.books(p, tick)
}

// calledOff marks a storm that made the heap too large.
const calledOff = "called off"

// books returns a Fault if a timeout was lost, ran twice or is still pending.
func (s *storm) books(p peers.Peer, tick time.Duration) error {
	want := int(s.left.Load())
	s.fired.wait(want, stormExpiry+patience(p, tick))
	time.Sleep(stormExpiry + 2*tick) // for a timeout that runs twice
	if err := s.fired.fault(want); err != nil {
		return err
	}
	tm, ok := peers.WheelOf(s.timer)
	if !ok {
		return lost(s.timer, int(s.calls.Load()))
	}
	if n := s.denied.Load(); n > 0 {
		return Fault(numbers.Grouped(int(n)) + " were stopped, although Stop reported false")
	}
	for begun := time.Now(); tm.Pending() > 0; time.Sleep(tick) { // the last heartbeat
		if time.Since(begun) > time.Second+2*tick {
			return Fault(numbers.Grouped(tm.Pending()) + " pending in the end")
		}
	}
	return nil
}

// bytesOfOne returns the memory of a pending timeout.
func (s *storm) bytesOfOne() float64 {
	const n = 1000
	var before, after runtime.MemStats
	arm := peers.ArmNever(s.timer)
	all := make([]peers.Armed, n)
	runtime.ReadMemStats(&before)
	for i := range all {
		all[i] = arm(deadline)
	}
	runtime.ReadMemStats(&after)
	for _, to := range all {
		to.Stop()
	}
	return float64(after.TotalAlloc-before.TotalAlloc) / n
}

// blow is the work of one goroutine.
func (s *storm) blow(call func(), took *sample) {
	calls := int64(0)
	for now := time.Now(); now.Before(s.end) && !s.heap.over.Load(); now = time.Now() {
		if calls%callsExpire == 0 {
			s.left.Add(1)
			s.timer.Arm(stormExpiry, s.fired.fire)
		}
		measured := rand.IntN(callsPerLook)
		for range measured {
			call()
		}
		begun := time.Now()
		call()
		took.add(float64(time.Since(begun)) / 1e3)
		for range callsPerLook - measured - 1 {
			call()
		}
		calls += callsPerLook
		s.heap.look()
	}
	s.calls.Add(calls)
}

func (s *storm) check(stopped bool) {
	if !stopped {
		s.denied.Add(1)
	}
}

func (s *storm) callNew() func() {
	arm := peers.ArmNever(s.timer)
	return func() { s.check(arm(deadline).Stop()) }
}

func (s *storm) callInside() func() {
	return func() { s.check(peers.NewSession(s.timer, deadline).Stop()) }
}

func (s *storm) callOwned() func() {
	own := peers.Own(s.timer, func() {})
	return func() {
		own.Reset(deadline)
		s.check(own.Stop())
	}
}

// flight is calls that were armed one after another.
type flight struct {
	since time.Time
	calls [callsPerLook]peers.Armed
	n     int
}

// callFlying keeps calls in flight for 5 ms, or until too many are.
func (s *storm) callFlying() func() {
	arm := peers.ArmNever(s.timer)
	flying := newFIFO[flight](max(2, stormFlying/callsPerLook/s.goroutines))
	land := func() {
		f := flying.oldest()
		for i := range f.n {
			s.check(f.calls[i].Stop())
			f.calls[i] = nil
		}
		s.flying.Add(-int64(f.n))
		f.n = 0
		flying.pop()
	}
	s.hangUps = append(s.hangUps, func() {
		for !flying.empty() {
			land()
		}
	})
	last := flying.push()
	last.since = time.Now()
	return func() {
		if last.n == len(last.calls) {
			now := time.Now()
			for flying.full() || !flying.empty() && now.Sub(flying.oldest().since) >= answerAfter {
				land()
			}
			last = flying.push()
			last.since = now
			if n := s.flying.Add(callsPerLook); n > s.mostFlying.Load() {
				s.mostFlying.Store(n) // a race loses a few
			}
		}
		last.calls[last.n] = arm(deadline)
		last.n++
	}
}
