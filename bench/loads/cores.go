package loads

import (
	"fmt"
	"runtime"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var cores = Load{
	Name: "cores",
	What: "The three hot paths with GOMAXPROCS set, one goroutine each: arm and stop a new timeout, re-arm and stop one's own, and move " +
		"a random one of very many later. Beyond the cores of the machine it shows what an unlucky schedule does, and no more.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range c.CPUs {
			name := fmt.Sprintf("GOMAXPROCS=%d", n)
			if n > runtime.NumCPU() {
				name += ", beyond the cores: a warning sign only"
			}
			cases = append(cases, Case{Name: name, Tick: armTick, Few: true, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return onCores(p, c, n)
			}})
		}
		return cases
	},
}

func onCores(p peers.Peer, c Config, n int) ([]Figure, error) {
	runtime.GOMAXPROCS(n)
	t := p.Open(armTick)
	arm := peers.ArmNever(t)
	fresh := rate(c.Rate, n, func(int) func(int) {
		return func(n int) {
			for range n {
				arm(deadline).Stop()
			}
		}
	})
	again := rate(c.Rate, n, func(int) func(int) { return rearmer(p, t) })
	all := own(p, t, armTick, c.Many/10, func() {})
	later := rate(c.Rate, n, func(i int) func(int) { return mover(p, share(all, i, n)) })
	return []Figure{
		{Name: "arm and stop", Unit: PerOp, Value: fresh.wall},
		{Name: "re-arm and stop", Unit: PerOp, Value: again.wall},
		{Name: "move one of " + numbers.Short(c.Many/10), Unit: PerOp, Value: later.wall},
	}, lost(t, fresh.ops+again.ops+later.ops+len(all))
}

// CPUs returns 1, 2, 4 and so on up to the cores of the machine, and four times
// as many.
func CPUs() (counts []int) {
	cores := runtime.NumCPU()
	for n := 1; n < cores; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, cores, 4*cores)
}
