package loads

import (
	"runtime"
	"runtime/metrics"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var collector = Load{
	Name: "collector",
	What: "What pending timeouts cost the garbage collector: CPU time of marking for one collection, and its longest pause, medians " +
		"of seven. Linked: each is an object of its own. In sessions: each is part of a struct of 256 bytes, or that has a pointer to it " +
		"where the peer does not permit more.",
	Cases: func(c Config) []Case {
		return []Case{
			{Name: numbers.Short(c.Many) + " linked", Tick: armTick, Run: collectLinked(c.Many)},
			{Name: numbers.Short(c.Many) + " in sessions", Tick: armTick, Run: collectSessions},
			{Name: numbers.Short(10*c.Many) + " linked", Tick: armTick, Few: true, Run: collectLinked(10 * c.Many)},
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
	t := p.Open(armTick)
	all := make([]any, c.Many)
	for i := range all {
		all[i] = peers.NewSession(t, far(i))
	}
	settle(armTick, c.Many)
	figures := collections()
	runtime.KeepAlive(all)
	return figures, lost(t, c.Many)
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
		{Name: "marking", Unit: Millis, Value: quantile(0.5, marking)},
		{Name: "longest pause", Unit: Micros, Value: quantile(0.5, pauses)},
	}
}

// markTime returns the CPU seconds that marking has taken, the time of otherwise
// idle processors included.
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

// longestSince returns the lower end of the highest bucket that has grown.
func longestSince(counts []uint64) (seconds float64) {
	now := readPauses()
	for i, n := range now.Counts {
		if n > counts[i] {
			seconds = now.Buckets[i]
		}
	}
	return max(0, seconds)
}
