package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var idle = Load{
	Name: "idle",
	What: "The cost of waiting: CPU time with nothing pending, with one far timeout, and with very many, one " +
		"to two hours away. Package time has no tick and is the same in each.",
	Cases: func(c Config) (cases []Case) {
		for _, tick := range []time.Duration{ms, 10 * ms, 100 * ms} {
			cases = append(cases, Case{
				Name: "tick of " + tick.String(), Tick: tick, Exact: true,
				Run: func(p peers.Peer, c Config) ([]Figure, error) { return waitFar(p, c, tick) },
			})
		}
		return cases
	},
}

func waitFar(p peers.Peer, c Config, tick time.Duration) ([]Figure, error) {
	many, d := c.Count(1_000_000), c.Time(time.Second)
	t := p.Open(tick)
	settle(tick, 0)
	figures := []Figure{cpuFigure("nothing pending", OfCore, cpuShare(d))}
	one := fill(t, tick, 1)
	figures = append(figures, cpuFigure("one far", OfCore, cpuShare(d)))
	all := fill(t, tick, many)
	time.Sleep(d / 4) // until the runtime has returned the heap that filling needed
	figures = append(figures, cpuFigure(numbers.Short(many)+" far", OfCore, cpuShare(d)))
	runtime.KeepAlive(one)
	runtime.KeepAlive(all)
	return figures, lost(t, 1+many)
}

// cpuShare returns the percentage of a core that the process uses.
func cpuShare(d time.Duration) float64 {
	cpu, start := machine.CPUTime(), time.Now()
	time.Sleep(d)
	return 100 * float64(machine.CPUTime()-cpu) / float64(time.Since(start))
}
