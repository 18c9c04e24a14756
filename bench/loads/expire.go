package loads

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var expire = Load{
	Name: "expire",
	What: "Very many timeouts, due evenly within one second and armed in another order: how late they run, and the CPU time of " +
		"the process from then on.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Due) + " within a second", Tick: time.Millisecond, Run: massExpiry}}
	},
}

func massExpiry(p peers.Peer, c Config) ([]Figure, error) {
	var fired tally
	t := p.Open(time.Millisecond)
	ms := make([]float64, c.Due)
	first := time.Now().Add(time.Second + time.Duration(c.Due)*3*time.Microsecond)
	for _, i := range rand.Perm(c.Due) {
		due := first.Add(time.Duration(i) * time.Second / time.Duration(c.Due))
		t.Arm(time.Until(due), func() {
			ms[i] = time.Since(due).Seconds() * 1e3
			fired.fire()
		})
	}
	runtime.GC()
	time.Sleep(time.Until(first) - 10*time.Millisecond)
	cpu := cpuTime()
	fired.wait(c.Due, patience(p, time.Millisecond)+time.Second)
	cpu = cpuTime() - cpu
	if err := fired.fault(c.Due); err != nil {
		return nil, err
	}
	mark := earlyOnes(ms)
	figures := percentiles("late ", Millis, ms)
	figures[0].Mark = mark
	return append(figures, cpuFigure("CPU", Each, float64(cpu)/float64(c.Due))), lost(t, c.Due)
}

// earlyOnes marks lateness below zero.
func earlyOnes(ms []float64) string {
	slices.Sort(ms)
	n, _ := slices.BinarySearch(ms, 0)
	if n == 0 {
		return ""
	}
	return early(time.Duration(-ms[0]*1e6), n, len(ms))
}
