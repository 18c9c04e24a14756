package loads

import (
	"math"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const checkEvery = 64 // one timeout in so many reads the clock when it fires

var fire = Load{
	Name: "fire",
	What: "Arm timeouts of 50 ms and wait until all have fired. One in 64 checks whether it is early. " +
		"Wall time includes the wait; there is none for a peer that fires early.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range []int{c.Count(500_000), c.Count(1_000_000)} {
			cases = append(cases, Case{
				Name: numbers.Short(n) + " armed and fired", Tick: fireTick,
				Run: func(p peers.Peer, _ Config) ([]Figure, error) { return armFire(p, n) },
			})
		}
		return cases
	},
}

const fireTick = 10 * ms

func armFire(p peers.Peer, n int) ([]Figure, error) {
	const d = 50 * ms
	var fired tally
	t := p.Open(fireTick)
	runtime.GC()
	f := fired.fire
	cpu, start := machine.CPUTime(), time.Now()
	for i := range n {
		if i%checkEvery == 0 {
			t.Arm(d, fired.checkedFire(d))
		} else {
			t.Arm(d, f)
		}
	}
	fired.wait(n, patience(p, fireTick))
	wall, cpu := time.Since(start), machine.CPUTime()-cpu
	time.Sleep(2 * fireTick) // for a timeout that fires twice
	if err := fired.fault(n); err != nil {
		return nil, err
	}
	mark := fired.mark()
	return []Figure{
		unlessMarked(Figure{Name: "wall", Unit: Seconds, Value: wall.Seconds(), Mark: mark}),
		cpuFigure("CPU", Each, float64(cpu)/float64(n)),
	}, nil
}

// unlessMarked removes a value that was reached by firing early.
func unlessMarked(f Figure) Figure {
	if f.Mark != "" {
		f.Value = math.NaN()
	}
	return f
}
