package loads

import (
	"runtime"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var steady = Load{
	Name: "steady",
	What: "The same rate of calls for all: so many deadlines of 30 s a second, 99 in a hundred stopped 5 ms later, and one of 1 s " +
		"that expires. CPU of the whole process, what arms included, and how much the heap grows at most.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range c.Steady {
			cases = append(cases, Case{
				Name: numbers.Short(n) + " deadlines a second",
				Tick: rpcTick,
				Run:  func(p peers.Peer, c Config) ([]Figure, error) { return keepPace(p, c, n) },
			})
		}
		return cases
	},
}

func keepPace(p peers.Peer, c Config, n int) ([]Figure, error) {
	t := p.Open(rpcTick)
	settle(rpcTick, 0)
	calls := newPacedCalls(t, n)
	runtime.GC()
	peak, cpu := watchHeap(), cpuTime()
	took := pace(c.SteadyFor, calls.step)
	share := 100 * float64(cpuTime()-cpu) / float64(took)
	grown := peak()
	if err := calls.end(patience(p, rpcTick)); err != nil {
		return nil, err
	}
	mark := behind(took, c.SteadyFor, n)
	return []Figure{
		{Name: "CPU", Unit: OfCore, Value: share, Mark: mark},
		{Name: "peak heap", Unit: MiB, Value: grown, Mark: mark},
	}, nil
}
