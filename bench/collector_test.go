package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// BenchmarkCollector is the elapsed time of one collection next to very many pending timeouts, and its CPU time. The
// timeouts are in shuffled memory. Their handles are dropped, or part of sessions of 256 bytes that the program keeps.
// They are due at one instant, within one minute that begins in a minute, or within one turn of a wheel of 512 buckets.
func BenchmarkCollector(b *testing.B) {
	n := count(1e6)
	for _, handles := range []string{"dropped", "owned"} {
		for _, due := range []struct {
			name          string
			first, window time.Duration
		}{
			{"turn", 20 * time.Second, 30 * time.Second},
			{"minute", time.Minute, time.Minute},
			{"instant", 2 * time.Minute, 1},
		} {
			labels := fmt.Sprintf("pending=%s/handles=%s/due=%s", short(n), handles, due.name)
			each(b, labels, isOneOfTwo, func(b *testing.B, k Kind) {
				t := k.Open(armTick).(Owner)
				var fired tally
				kept := make([]Owned, n)
				for i := range kept {
					if handles == "owned" {
						kept[i] = newSession(t, fired.fire)
					} else {
						kept[i] = t.New(fired.fire)
					}
				}
				rand.Shuffle(n, func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
				start := time.Now()
				for i, own := range kept {
					own.Reset(due.first + scatter(i, due.window) - time.Since(start))
				}
				if handles == "dropped" {
					kept = nil
				}
				settle(armTick, n)
				cpu := cpuTime()
				for b.Loop() {
					runtime.GC()
				}
				b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
				runtime.KeepAlive(kept)
				if n := fired.fired.Load(); n > 0 {
					b.Errorf("%d timeouts expired during the collections: the machine is too slow", n)
				}
			})
		}
	}
}
