package loads

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var grow = Load{
	Name: "grow",
	What: "How the cost grows with the number of pending timeouts: stop a random pending timeout and arm another in its " +
		"place, one to two hours away, on all CPUs at a tick of 10 ms. CPU includes the timer's own work.",
	Cases: func(c Config) (cases []Case) {
		for _, full := range []int{1e3, 1e4, 1e5, 1e6, 1e7} {
			n := c.Count(full)
			k := Case{
				Name: numbers.Short(n) + " pending", Tick: growTick,
				Run: func(p peers.Peer, c Config) ([]Figure, error) { return replaceOne(p, c, n) },
			}
			if full == 1e7 {
				k.Only = few
			}
			cases = append(cases, k)
		}
		return cases
	},
}

const growTick = 10 * ms

func replaceOne(p peers.Peer, c Config, n int) ([]Figure, error) {
	t := p.Open(growTick)
	all := fill(t, growTick, n)
	if err := lost(t, n); err != nil {
		return nil, err
	}
	arm := peers.ArmNever(t)
	g := runtime.GOMAXPROCS(0)
	part := n / g
	s := rate(c.Time(time.Second), g, func(i int) func(int) {
		mine := all[i*part : (i+1)*part]
		random := rand.New(rand.NewPCG(uint64(i), 1))
		return func(n int) {
			for range n {
				r := random.IntN(part)
				mine[r].Stop()
				mine[r] = arm(far(random.Int()))
			}
		}
	})
	return []Figure{
		{Name: "wall", Unit: PerOp, Value: s.wall},
		cpuFigure("CPU", PerOp, s.cpu),
	}, lost(t, n+s.ops)
}
