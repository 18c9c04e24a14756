package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var quiet = Load{
	Name: "quiet",
	Flat: true,
	What: "Allocations of a Reset and a Stop of one timeout, with five quiet ticks after the Stop or after " +
		"both: the worker falls asleep or ends, and is woken or started again.",
	Cases: func(Config) (cases []Case) {
		for _, another := range []bool{false, true} {
			for _, twice := range []bool{false, true} {
				cases = append(cases, quietCase(another, twice))
			}
		}
		return cases
	},
}

// quietCase has another timeout pending or not, and quiet ticks after the Reset or not.
func quietCase(another, twice bool) Case {
	name := "quiet after the Stop"
	if twice {
		name = "quiet after both"
	}
	if another {
		name += ", another pending for an hour"
	}
	return Case{Name: name, Tick: ms, Only: pair, Run: func(p peers.Peer, c Config) ([]Figure, error) {
		t := p.Open(ms)
		if another {
			t.Arm(time.Hour, func() {})
		}
		own := peers.Own(t, func() {})
		return allocations(c.Count(200), func() {
			own.Reset(time.Minute)
			if twice {
				time.Sleep(5 * ms)
			}
			own.Stop()
			time.Sleep(5 * ms)
		}), nil
	}}
}

// allocations returns the allocations of n calls of cycle, in the whole process.
func allocations(n int, cycle func()) []Figure {
	for range 3 { // warm
		cycle()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		cycle()
	}
	runtime.ReadMemStats(&after)
	return []Figure{
		{Name: "allocations", Unit: "a cycle", Value: float64(after.Mallocs-before.Mallocs) / float64(n)},
		{Name: "bytes", Unit: "a cycle", Value: float64(after.TotalAlloc-before.TotalAlloc) / float64(n)},
	}
}
