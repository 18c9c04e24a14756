package bench

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// BenchmarkLone measures a timeout that arms itself again every millisecond, on an idle machine. cpu-ns/run is the CPU
// time of the process for each run.
func BenchmarkLone(b *testing.B) {
	each(b, "every=1ms/tick=1ms", isOneOfTwo, func(b *testing.B, k Kind) {
		t := k.Open(ms).(Owner)
		settle(ms, 0)
		var runs atomic.Int64
		var beat Owned
		beat = t.New(func() {
			runs.Add(1)
			beat.Reset(ms)
		})
		beat.Reset(ms)
		time.Sleep(20 * ms)
		before, cpu, start := runs.Load(), timertest.CPUTime(), time.Now()
		time.Sleep(span(4 * time.Second))
		n, took := max(1, runs.Load()-before), time.Since(start)
		b.ReportMetric(float64(timertest.CPUTime()-cpu)/float64(n), "cpu-ns/run")
		b.ReportMetric(float64(n)/took.Seconds(), "runs/s")
		for !beat.Stop() { // the task is running, and arms itself again
			time.Sleep(ms)
		}
		once(b)
	})
}
