package hashedwheel_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Two parts of the costs in bench_test.go.

// BenchmarkDrain measures the worker's part of an arming: it files a pending timeout, and drops a
// stopped one. Rounds of 256 are so short that the arming goroutine leaves all timeouts to the worker.
func BenchmarkDrain(b *testing.B) {
	const round, rounds = 256, 400
	for _, isStopped := range []bool{false, true} {
		b.Run(fmt.Sprintf("stopped=%t", isStopped), func(b *testing.B) {
			b.ReportAllocs()
			var tm *hashedwheel.Timer
			var spent time.Duration
			for armed := 0; armed < b.N; armed += round {
				if armed%(round*rounds) == 0 { // a new timer, before the heap grows large
					tm = newTimer(b, hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
				}
				spent += timeWorker(tm, min(round, b.N-armed), isStopped)
			}
			b.ReportMetric(0, "ns/op") // not shown: it includes the arming
			b.ReportMetric(float64(spent)/float64(b.N), "drain-ns/timeout")
		})
	}
}

// timeWorker arms n timeouts and returns how long the worker's part of that takes.
func timeWorker(tm *hashedwheel.Timer, n int, isStopped bool) time.Duration {
	for range n {
		if to := tm.AfterFunc(30*time.Second, timertest.Nop); isStopped {
			to.Stop()
		}
	}
	start := time.Now()
	tm.Pending() // files the queue, as the worker does
	return time.Since(start)
}

// BenchmarkClockRead measures the clock read that is part of every AfterFunc and Reset.
func BenchmarkClockRead(b *testing.B) {
	var sink atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		start := time.Now()
		var last time.Duration
		for pb.Next() {
			last = time.Since(start)
		}
		sink.Store(int64(last))
	})
}
