package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const armTick = 100 * time.Millisecond

var arm = Load{
	Name: "arm",
	What: "Arm a new timeout of 30 s and stop it at once, while others are pending. " +
		"Time an operation on all goroutines together.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range c.Pending {
			cases = append(cases, Case{
				Name: numbers.Short(n) + " pending",
				Tick: armTick,
				Run:  func(p peers.Peer, c Config) ([]Figure, error) { return armStop(p, c, n) },
			})
		}
		return cases
	},
}

func armStop(p peers.Peer, c Config, n int) (figures []Figure, err error) {
	t := p.Open(armTick)
	others := fill(t, armTick, n)
	if err := lost(t, n); err != nil {
		return nil, err
	}
	armed := n
	for _, g := range goroutineCounts() {
		arm := peers.ArmNever(t)
		s := rate(c.Rate, g, func(int) func(int) {
			return func(n int) {
				for range n {
					arm(deadline).Stop()
				}
			}
		})
		armed += s.ops
		figures = append(figures, Figure{Name: goroutines(g), Unit: PerOp, Value: s.wall})
	}
	runtime.KeepAlive(others)
	return figures, lost(t, armed)
}

var rearm = Load{
	Name: "rearm",
	What: "Arm a timeout that its owner keeps, and stop it, again and again, in each goroutine its own. " +
		"A peer without such timeouts arms new ones.",
	Cases: func(Config) []Case {
		return []Case{{Name: "owned", Tick: armTick, Run: rearmStop}}
	},
}

func rearmStop(p peers.Peer, c Config) (figures []Figure, err error) {
	t := p.Open(armTick)
	armed := 0
	for _, g := range goroutineCounts() {
		s := rate(c.Rate, g, func(int) func(int) { return rearmer(p, t) })
		armed += s.ops
		figures = append(figures, Figure{Name: goroutines(g), Unit: PerOp, Value: s.wall})
	}
	return figures, lost(t, armed)
}

func rearmer(p peers.Peer, t peers.Timer) func(n int) {
	own := peers.Own(t, func() {})
	if p.At {
		own := own.(peers.OwnedAt)
		return func(n int) {
			at := time.Now().Add(deadline) // as an event loop, once a round
			for range n {
				own.ResetAt(at)
				own.Stop()
			}
		}
	}
	return func(n int) {
		for range n {
			own.Reset(deadline)
			own.Stop()
		}
	}
}
