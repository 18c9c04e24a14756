package loads

import (
	"context"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var stops = Load{
	Name: "stop",
	Flat: true,
	What: "How long a timer with very many pending timeouts takes to end. They lie in shuffled memory and are due between " +
		"one and two hours from now. Package time stops its timers one after another. With a context of 10 ms Shutdown should " +
		"return soon after that.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range []int{c.Count(1_000_000), c.Count(10_000_000)} {
			cases = append(cases,
				stopCase(n, "Stop", false, stopAll),
				stopCase(n, "Shutdown", true, shutdown(time.Hour)),
				stopCase(n, "Shutdown with 10 ms", true, shutdown(10*ms)))
		}
		return cases
	},
}

// stopper ends a timer and returns how many timeouts it stopped.
type stopper func(t peers.Timer, all []member) int

func stopCase(n int, how string, ours bool, end stopper) Case {
	return Case{
		Name: numbers.Short(n) + " pending, " + how, Tick: 10 * ms, Only: pair, Ours: ours,
		Run: func(p peers.Peer, _ Config) ([]Figure, error) { return stopTimer(p, n, end) },
	}
}

func stopTimer(p peers.Peer, n int, end stopper) ([]Figure, error) {
	t := p.Open(10 * ms)
	c, all := gather(t, n)
	c.start = time.Now()
	armEvenly(all, time.Hour, time.Hour)
	if tm, ok := peers.WheelOf(t); ok {
		tm.Pending() // files the queued timeouts
	}
	runtime.GC()
	start := time.Now()
	stopped := end(t, all)
	took := time.Since(start)
	runtime.KeepAlive(all)
	return []Figure{
		{Name: "took", Unit: Millis, Value: took.Seconds() * 1e3},
		{Name: "a timeout", Unit: Each, Value: float64(took) / float64(n)},
		{Name: "stopped", Unit: "timeouts", Value: float64(stopped)},
	}, nil
}

func stopAll(t peers.Timer, all []member) (stopped int) {
	if tm, ok := peers.WheelOf(t); ok {
		return len(tm.Stop())
	}
	for _, m := range all {
		if m.stop() {
			stopped++
		}
	}
	return stopped
}

// shutdown returns a stopper with a context that ends after d.
func shutdown(d time.Duration) stopper {
	return func(t peers.Timer, _ []member) int {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		tm, _ := peers.WheelOf(t)
		left, _ := tm.Shutdown(ctx) // the context may well end first
		return len(left)
	}
}
