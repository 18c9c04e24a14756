package loads

import (
	"math"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const checkEvery = 64 // a timeout in so many looks at the clock when it fires

var fire = Load{
	Name: "fire",
	What: "Arm timeouts of 50 ms and wait until all have fired. One in 64 looks whether it is early. " +
		"Wall time has the wait in it, and is not given for a peer that does not wait long enough.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range c.Fire {
			cases = append(cases, Case{
				Name: numbers.Short(n) + " armed and fired",
				Tick: fireTick,
				Run:  func(p peers.Peer, c Config) ([]Figure, error) { return armFire(p, n) },
			})
		}
		return cases
	},
}

const fireTick = 10 * time.Millisecond

func armFire(p peers.Peer, n int) ([]Figure, error) {
	const d = 50 * time.Millisecond
	var fired tally
	t := p.Open(fireTick)
	runtime.GC()
	f := fired.fire
	cpu, start := cpuTime(), time.Now()
	for i := range n {
		if i%checkEvery == 0 {
			t.Arm(d, fired.checkedFire(d))
		} else {
			t.Arm(d, f)
		}
	}
	fired.wait(n, patience(p, fireTick))
	wall, cpu := time.Since(start), cpuTime()-cpu
	time.Sleep(2 * fireTick) // for one that fires twice
	if err := fired.fault(n); err != nil {
		return nil, err
	}
	mark := fired.mark()
	return []Figure{
		unlessMarked(Figure{Name: "wall", Unit: Seconds, Value: wall.Seconds(), Mark: mark}),
		cpuFigure("CPU", Each, float64(cpu)/float64(n)),
	}, nil
}

// unlessMarked takes away a value that was reached by firing early.
func unlessMarked(f Figure) Figure {
	if f.Mark != "" {
		f.Value = math.NaN()
	}
	return f
}
