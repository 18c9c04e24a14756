package loads

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var expire = Load{
	Name: "expire",
	What: "Very many timeouts that are due evenly within one second and were armed in another order: how late they run, and the CPU time of " +
		"the process during that second.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Count(1_000_000)) + " within a second", Tick: time.Millisecond, Run: massExpiry}}
	},
}

func massExpiry(p peers.Peer, c Config) ([]Figure, error) {
	var fired tally
	n := c.Count(1_000_000)
	t := p.Open(time.Millisecond)
	ms := make([]float64, n)
	first := time.Now().Add(time.Second + time.Duration(n)*3*time.Microsecond)
	for _, i := range rand.Perm(n) {
		due := first.Add(time.Duration(i) * time.Second / time.Duration(n))
		t.Arm(time.Until(due), func() {
			ms[i] = time.Since(due).Seconds() * 1e3
			fired.fire()
		})
	}
	runtime.GC()
	time.Sleep(time.Until(first) - 10*time.Millisecond)
	cpu := machine.CPUTime()
	fired.wait(n, patience(p, time.Millisecond)+time.Second)
	cpu = machine.CPUTime() - cpu
	if err := fired.fault(n); err != nil {
		return nil, err
	}
	figures := quantiles("late ", Millis, ms, "p50", "p99", "p99.9", "max")
	figures[0].Mark = earlyOnes(ms)
	return append(figures, cpuFigure("CPU", Each, float64(cpu)/float64(n))), lost(t, n)
}

// earlyOnes marks lateness below zero, in sorted values.
func earlyOnes(ms []float64) string {
	n, _ := slices.BinarySearch(ms, 0)
	if n == 0 {
		return ""
	}
	return early(time.Duration(-ms[0]*1e6), n, len(ms))
}
