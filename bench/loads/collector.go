package loads

import (
	"runtime"
	"runtime/metrics"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var collector = Load{
	Name: "collector",
	What: "The cost of pending timeouts for the garbage collector: CPU time of marking in one collection, and its longest pause, medians " +
		"of seven. Linked: each timeout is an object by itself. In sessions: each is part of a struct of 256 bytes, or, where the peer " +
		"does not permit that, the struct has a pointer to it.",
	Cases: func(c Config) []Case {
		n := c.Count(1_000_000)
		return []Case{
			{Name: numbers.Short(n) + " linked", Tick: armTick, Run: collectLinked(n)},
			{Name: numbers.Short(n) + " in sessions", Tick: armTick, Run: collectSessions},
			{Name: numbers.Short(10*n) + " linked", Tick: armTick, Only: few, Run: collectLinked(10 * n)},
		}
	},
}

func collectLinked(n int) func(peers.Peer, Config) ([]Figure, error) {
	return func(p peers.Peer, _ Config) ([]Figure, error) {
		t := p.Open(armTick)
		all := fill(t, armTick, n)
		figures := collections()
		runtime.KeepAlive(all)
		return figures, lost(t, n)
	}
}

func collectSessions(p peers.Peer, c Config) ([]Figure, error) {
	n := c.Count(1_000_000)
	t := p.Open(armTick)
	all := make([]any, n)
	for i := range all {
		all[i] = peers.NewSession(t, far(i))
	}
	settle(armTick, n)
	figures := collections()
	runtime.KeepAlive(all)
	return figures, lost(t, n)
}

func collections() []Figure {
	var marking, pauses []float64
	for range 7 {
		before, stopped := markTime(), pauseCounts()
		runtime.GC()
		marking = append(marking, (markTime()-before)*1e3)
		pauses = append(pauses, longestSince(stopped)*1e6)
	}
	return []Figure{
		{Name: "marking", Unit: Millis, Value: numbers.Median(marking)},
		{Name: "longest pause", Unit: Micros, Value: numbers.Median(pauses)},
	}
}

// markTime returns the CPU seconds that marking has taken, including
// the time of otherwise idle processors.
func markTime() (seconds float64) {
	s := []metrics.Sample{
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(s)
	for i := range s {
		seconds += s[i].Value.Float64()
	}
	return seconds
}

func readPauses() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}

func pauseCounts() []uint64 { return append([]uint64(nil), readPauses().Counts...) }

// longestSince returns the lower end of the highest bucket with a new pause.
func longestSince(counts []uint64) (seconds float64) {
	now := readPauses()
	for i, n := range now.Counts {
		if n > counts[i] {
			seconds = now.Buckets[i]
		}
	}
	return max(0, seconds)
}
