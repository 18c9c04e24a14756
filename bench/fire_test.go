package bench

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// BenchmarkFire arms a million timeouts of 50 ms, and waits until all tasks have run.
func BenchmarkFire(b *testing.B) {
	const d = 50 * ms
	n := count(1e6)
	each(b, "timeouts="+short(n), anyKind, func(b *testing.B, k Kind) {
		var fired tally
		t := k.Open(ms)
		settle(ms, 0)
		cpu, start := timertest.CPUTime(), time.Now()
		for i := range n {
			t.AfterFunc(d, fired.task(i, d))
		}
		fired.await(n)
		wall, cpu := time.Since(start), timertest.CPUTime()-cpu
		time.Sleep(20 * ms) // for a task that runs twice
		fired.wait(b, k, n)
		b.ReportMetric(float64(wall)/float64(n), "ns/timeout")
		b.ReportMetric(float64(cpu)/float64(n), "cpu-ns/timeout")
		once(b)
	})
}
