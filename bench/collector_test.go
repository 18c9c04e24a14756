package bench

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// BenchmarkCollector is the elapsed time of one collection next to very many pending timeouts, and its CPU time. The
// timeouts are in shuffled memory, are due within one minute that begins in a minute, and their handles are dropped.
func BenchmarkCollector(b *testing.B) {
	n := count(1e6)
	each(b, "pending="+short(n)+"/handles=dropped/due=minute", isOneOfTwo, func(b *testing.B, k Kind) {
		t := k.Open(armTick).(Owner)
		var fired tally
		armShuffled(t, n, &fired)
		settle(armTick, n)
		cpu := CPUTime()
		for b.Loop() {
			runtime.GC()
		}
		b.ReportMetric(float64(CPUTime()-cpu)/float64(b.N), "cpu-ns/op")
		if n := fired.fired.Load(); n > 0 {
			b.Errorf("%d timeouts expired during the collections: the machine is too slow", n)
		}
	})
}

// armShuffled arms n timeouts in another order than that of their memory, and drops their handles.
func armShuffled(t Owner, n int, fired *tally) {
	all := make([]Owned, n)
	for i := range all {
		all[i] = t.New(fired.fire) // each has its own function
	}
	rand.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	start := time.Now()
	for i, own := range all {
		own.Reset(time.Minute + scatter(i, time.Minute) - time.Since(start))
	}
}
