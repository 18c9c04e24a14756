package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var due = Load{
	Name: "due",
	What: "How long it takes to arm a timeout while very many others are due in one tick: one goroutine arms and stops " +
		"one every 10 µs, from 50 ms before that tick on. Each is timed from the moment at which it was meant to begin, " +
		"so that a stall counts for all those that it has kept waiting.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Due) + " due in one tick", Tick: rpcTick, Run: armWhileDue}}
	},
}

const (
	dueEvery  = 10 * time.Microsecond
	dueBefore = 50 * time.Millisecond // the armings begin so long before the tick
)

func armWhileDue(p peers.Peer, c Config) ([]Figure, error) {
	var fired tally
	t := p.Open(rpcTick)
	at := time.Now().Add(time.Second + time.Duration(c.Due)*3*time.Microsecond)
	for i := range c.Due {
		f := fired.fire
		if i%checkEvery == 0 {
			f = fired.checkedFire(time.Until(at))
		}
		t.Arm(time.Until(at), f)
	}
	if err := lost(t, c.Due); err != nil {
		return nil, err
	}
	runtime.GC()
	time.Sleep(time.Until(at) - dueBefore)
	took := armEvery(peers.ArmNever(t), dueEvery, c.DueFor)
	fired.wait(c.Due, patience(p, rpcTick))
	if err := fired.fault(c.Due); err != nil {
		return nil, err
	}
	figures := tail("arming ", Micros, took)
	figures[0].Mark = fired.mark()
	return figures, lost(t, c.Due+len(took))
}

// armEvery arms and stops a timeout at every point of a grid, and returns how
// many µs after its point each was armed. One that comes too late for its point
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
