package main

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

var quiet = load{
	name: "quiet",
	what: "What is allocated by a Reset and a Stop of one timeout, and five quiet ticks after the Stop, or after each of " +
		"the two: the worker goes to sleep or ends, and is woken or started again.",
	cases: func(config) (cases []testCase) {
		for _, another := range []bool{false, true} {
			for _, twice := range []bool{false, true} {
				cases = append(cases, quietCase(another, twice))
			}
		}
		return cases
	},
}

// quietCase has another timeout pending or not, and a rest after the Reset or not.
func quietCase(another, twice bool) testCase {
	name := "rest after the Stop"
	if twice {
		name = "rest after each"
	}
	if another {
		name += ", another pending for an hour"
	}
	return testCase{name: name, run: func(p peer, c config) []figure {
		t := p.open(hashedwheel.WithTick(time.Millisecond))
		if another {
			t.own(nop).arm(time.Hour)
		}
		own := t.own(nop)
		return allocations(c.Quiet, func() {
			own.arm(time.Minute)
			if twice {
				time.Sleep(5 * time.Millisecond)
			}
			own.stop()
			time.Sleep(5 * time.Millisecond)
		})
	}}
}

// allocations returns what n calls of cycle allocate, anywhere in the process.
func allocations(n int, cycle func()) []figure {
	for range 3 { // what is made once
		cycle()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		cycle()
	}
	runtime.ReadMemStats(&after)
	return []figure{
		{Name: "allocations a cycle", Value: float64(after.Mallocs-before.Mallocs) / float64(n)},
		{Name: "bytes a cycle", Value: float64(after.TotalAlloc-before.TotalAlloc) / float64(n)},
	}
}
