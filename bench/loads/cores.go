package loads

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var cores = Load{
	Name: "cores",
	Flat: true,
	What: "The three hot paths with as many goroutines as GOMAXPROCS: arm and stop a new timeout, re-arm and stop an owned timeout, and move " +
		"a random one of very many later. Filing: the time that the wheel needs for each timeout under its lock, which a handicap " +
		"adds to. The section on many processors draws the conclusions.",
	Cases: func(c Config) (cases []Case) {
		add := func(n int, handicap time.Duration, note string) {
			cases = append(cases, Case{
				Name: fmt.Sprintf("GOMAXPROCS=%d%s", n, note), Tick: armTick, Only: twins, Handicap: handicap,
				Run: func(p peers.Peer, c Config) ([]Figure, error) { return onCores(p, c, n) },
			})
		}
		for _, n := range c.CPUs {
			note := ""
			if n > runtime.NumCPU() {
				note = ", beyond the cores"
			}
			add(n, 0, note)
		}
		handicaps := []time.Duration{50, 100, 200, 400, 600}
		if c.Scale < 1 {
			handicaps = nil
		}
		for _, handicap := range handicaps {
			add(runtime.NumCPU(), handicap, fmt.Sprintf(", handicap %v", handicap))
		}
		return cases
	},
}

func onCores(p peers.Peer, c Config, n int) ([]Figure, error) {
	runtime.GOMAXPROCS(n)
	t := p.Open(armTick)
	d, many := c.Time(500*ms), c.Count(100_000)
	fresh := rate(d, n, func(int) func(int) { return armer(t) })
	again := rate(d, n, func(int) func(int) { return rearmer(p, t) })
	all := own(p, t, armTick, many, func() {})
	later := rate(d, n, func(i int) func(int) { return mover(p, share(all, i, n)) })
	return []Figure{
		{Name: "arm and stop", Unit: PerOp, Value: fresh.wall},
		{Name: "re-arm and stop", Unit: PerOp, Value: again.wall},
		{Name: "move one of " + numbers.Short(many), Unit: PerOp, Value: later.wall},
		{Name: "filing", Unit: Each, Value: filing(p, many)},
	}, lost(t, fresh.ops+again.ops+later.ops+len(all))
}

// filing returns how many ns this library needs to file a timeout, or NaN for
// another peer. A round is too short for producers to help.
func filing(p peers.Peer, n int) float64 {
	const round = 256
	if p.Wheel == nil {
		return math.NaN()
	}
	tm := hashedwheel.MustNew(hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
	var took []float64
	for range n/round + 1 {
		for range round {
			tm.AfterFunc(deadline, func() {})
		}
		start := time.Now()
		tm.Pending() // files the queue
		took = append(took, float64(time.Since(start))/round)
	}
	tm.Stop()
	return numbers.Median(took)
}

// CPUs returns 1, 2, 4 and so on up to 64 or, if that is more, the number of cores,
// which is included.
func CPUs() (counts []int) {
	cores := runtime.NumCPU()
	for n := 1; n <= max(64, cores); n *= 2 {
		counts = append(counts, n)
		if n < cores && cores < 2*n {
			counts = append(counts, cores)
		}
	}
	return counts
}
