package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var due = Load{
	Name: "due",
	What: "How long an arming takes while very many other timeouts are due in one tick: one goroutine arms and stops " +
		"a timeout every 10 µs, beginning 50 ms before that tick. Each arming is timed from its intended start, " +
		"so a stall counts for all the armings that it delays.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Count(1_000_000)) + " due in one tick", Tick: rpcTick, Run: armWhileDue}}
	},
}

const (
	dueEvery  = 10 * time.Microsecond
	dueBefore = 50 * ms // the armings begin so long before the tick
)

func armWhileDue(p peers.Peer, c Config) ([]Figure, error) {
	var fired tally
	n := c.Count(1_000_000)
	t := p.Open(rpcTick)
	at := time.Now().Add(time.Second + time.Duration(n)*3*time.Microsecond)
	for i := range n {
		f := fired.fire
		if i%checkEvery == 0 {
			f = fired.checkedFire(time.Until(at))
		}
		t.Arm(time.Until(at), f)
	}
	if err := lost(t, n); err != nil {
		return nil, err
	}
	runtime.GC()
	time.Sleep(time.Until(at) - dueBefore)
	took := armEvery(peers.ArmNever(t), dueEvery, c.Time(3*time.Second))
	fired.wait(n, patience(p, rpcTick))
	if err := fired.fault(n); err != nil {
		return nil, err
	}
	figures := quantiles("arming ", Micros, took, "p50", "p90", "p99", "p99.9", "p99.99", "max")
	figures[0].Mark = fired.mark()
	return figures, lost(t, n+len(took))
}

// armEvery arms and stops a timeout at every point of a grid, and returns how
// many µs after its point each was armed. An arming that is late for its point
// follows at once: the grid does not wait.
func armEvery(arm func(d time.Duration) peers.Armed, every, d time.Duration) (took []float64) {
	took = make([]float64, 0, d/every)
	start := time.Now()
	for at := time.Duration(0); at < d; at += every {
		for time.Since(start) < at {
		}
		to := arm(deadline)
		took = append(took, float64(time.Since(start)-at)/1e3)
		to.Stop()
	}
	return took
}
