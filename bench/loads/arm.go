package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const armTick = 100 * ms

var arm = Load{
	Name: "arm",
	What: "Arm a new timeout of 30 s and stop it at once, while others are pending. " +
		"Time an operation, over all goroutines together.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range []int{0, c.Count(100_000), c.Count(1_000_000)} {
			cases = append(cases, Case{
				Name: numbers.Short(n) + " pending", Tick: armTick,
				Run: func(p peers.Peer, c Config) ([]Figure, error) { return armStop(p, c, n) },
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
	figures, ops := byGoroutines(c, func(int, int) func(int) { return armer(t) })
	runtime.KeepAlive(others)
	return figures, lost(t, n+ops)
}

func armer(t peers.Timer) func(n int) {
	arm := peers.ArmNever(t)
	return func(n int) {
		for range n {
			arm(deadline).Stop()
		}
	}
}

var rearm = Load{
	Name: "rearm",
	What: "Each goroutine owns one timeout, and arms and stops it again and again. " +
		"A peer without owned timeouts arms new ones.",
	Cases: func(Config) []Case {
		return []Case{{Name: "owned", Tick: armTick, Run: func(p peers.Peer, c Config) ([]Figure, error) {
			t := p.Open(armTick)
			figures, ops := byGoroutines(c, func(int, int) func(int) { return rearmer(p, t) })
			return figures, lost(t, ops)
		}}}
	},
}

func rearmer(p peers.Peer, t peers.Timer) func(n int) {
	own := peers.Own(t, func() {})
	if p.At {
		own := own.(peers.OwnedAt)
		return func(n int) {
			at := time.Now().Add(deadline) // as in an event loop, once a round
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
