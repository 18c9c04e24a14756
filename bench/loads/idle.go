package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var idle = Load{
	Name: "idle",
	What: "What it costs to wait: CPU time with nothing pending, with one timeout far away, and with very many, one " +
		"to two hours away. Package time has no tick and is the same in each.",
	Cases: func(c Config) (cases []Case) {
		for _, tick := range c.Ticks {
			cases = append(cases, Case{
				Name:  "tick of " + tick.String(),
				Tick:  tick,
				Exact: true,
				Run:   func(p peers.Peer, c Config) ([]Figure, error) { return waitFar(p, c, tick) },
			})
		}
		return cases
	},
}

func waitFar(p peers.Peer, c Config, tick time.Duration) ([]Figure, error) {
	t := p.Open(tick)
	settle(tick, 0)
	figures := []Figure{cpuFigure("nothing pending", OfCore, cpuShare(c.Idle))}
	one := fill(t, tick, 1)
	figures = append(figures, cpuFigure("one far", OfCore, cpuShare(c.Idle)))
	many := fill(t, tick, c.Many)
	time.Sleep(c.Idle / 4) // for the heap that filling grew to be given back
	figures = append(figures, cpuFigure(numbers.Short(c.Many)+" far", OfCore, cpuShare(c.Idle)))
	runtime.KeepAlive(one)
	runtime.KeepAlive(many)
	return figures, lost(t, 1+c.Many)
}

// cpuShare returns the percentage of a core that the process uses.
func cpuShare(d time.Duration) float64 {
	cpu, start := cpuTime(), time.Now()
	time.Sleep(d)
	return 100 * float64(cpuTime()-cpu) / float64(time.Since(start))
}
