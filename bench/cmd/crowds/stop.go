package main

import (
	"context"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

var stops = load{
	name: "stop",
	what: "How long it takes to end a timer with very many pending, in shuffled memory, due within an hour. Package " +
		"time: to stop them one after another. With a context of 10 ms Shutdown is to return soon after.",
	cases: func(c config) (cases []testCase) {
		for _, n := range c.Stop {
			cases = append(cases,
				stopCase(n, "Stop", false, stopAll),
				stopCase(n, "Shutdown", true, shutdown(0)),
				stopCase(n, "Shutdown with 10 ms", true, shutdown(10*time.Millisecond)))
		}
		return cases
	},
}

// stopper ends a timer and returns how many were stopped.
type stopper func(t timer, all []member) int

func stopCase(n int, how string, oursOnly bool, end stopper) testCase {
	return testCase{
		name:     numbers.Short(n) + " pending, " + how,
		oursOnly: oursOnly,
		run:      func(p peer, _ config) []figure { return stopTimer(p, n, end) },
	}
}

func stopTimer(p peer, n int, end stopper) []figure {
	t := p.open(hashedwheel.WithTick(10 * time.Millisecond))
	c, all := gather(t, n)
	c.start = time.Now()
	armEvenly(all, time.Hour, time.Hour)
	if w, ok := t.(wheel); ok {
		w.Pending() // files what is in the queue
	}
	runtime.GC()
	start := time.Now()
	stopped := end(t, all)
	took := time.Since(start)
	runtime.KeepAlive(all)
	return []figure{
		{Name: "took, ms", Value: took.Seconds() * 1e3},
		{Name: "a timeout, ns", Value: float64(took) / float64(n)},
		{Name: "stopped", Value: float64(stopped)},
	}
}

func stopAll(t timer, all []member) (stopped int) {
	if w, ok := t.(wheel); ok {
		return len(w.Stop())
	}
	for _, m := range all {
		if m.stop() {
			stopped++
		}
	}
	return stopped
}

// shutdown returns a stopper with a context that ends after d, or never.
func shutdown(d time.Duration) stopper {
	return func(t timer, _ []member) int {
		ctx := context.Background()
		if d > 0 {
			limited, cancel := context.WithTimeout(ctx, d)
			defer cancel()
			ctx = limited
		}
		left, _ := t.(wheel).Shutdown(ctx) // the context's end is what is measured
		return len(left)
	}
}
