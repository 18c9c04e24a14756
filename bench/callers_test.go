package bench

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkCallers is one goroutine that works 20 µs, arms a timeout of 30 s and stops the one before, next to
// goroutines that only compute, for three seconds. arming is the time of one AfterFunc, of-the-time is how much of the
// three seconds all of them took.
func BenchmarkCallers(b *testing.B) {
	for _, tick := range []time.Duration{ms, 10 * ms} {
		for _, computing := range []int{0, 4, 20} {
			labels := fmt.Sprintf("computing=%d/tick=%v", computing, tick)
			each(b, labels, isOneOfTwo, func(b *testing.B, k Kind) {
				turnsPerMicrosecond()
				t := k.Open(tick)
				settle(tick, 0)
				beat := startBeats(t, 5*ms)
				stop := compute(computing)
				var inside time.Duration
				var took []float64
				calls := 0
				before := t.AfterFunc(deadline, nop)
				start := time.Now()
				end := start.Add(span(3 * time.Second))
				for now := start; now.Before(end); calls++ {
					work(20 * time.Microsecond)
					begun := time.Now()
					to := t.AfterFunc(deadline, nop)
					now = time.Now()
					inside += now.Sub(begun)
					took = append(took, float64(now.Sub(begun)))
					before.Stop()
					before = to
				}
				elapsed := time.Since(start)
				late := beat.end()
				stop()
				b.ReportMetric(float64(calls)/elapsed.Seconds(), "calls/s")
				b.ReportMetric(100*inside.Seconds()/elapsed.Seconds(), "%-of-the-time")
				quantiles(b, "arming", "ns", took, 50, 90, 99)
				quantiles(b, "late", "ms", late, 50, 99)
				once(b)
			})
		}
	}
}

// work keeps the processor busy with d of work, however long it is interrupted.
func work(d time.Duration) { spin(int(d.Nanoseconds() * turnsPerMicrosecond() / 1000)) }

// spin is work that the compiler keeps.
func spin(turns int) {
	x := uint64(0)
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}

// turnsPerMicrosecond is the speed of spin: the fastest of several attempts, since others may have the processor.
var turnsPerMicrosecond = sync.OnceValue(func() int64 {
	const turns = 100_000
	fastest := time.Hour
	for range 50 {
		start := time.Now()
		spin(turns)
		fastest = min(fastest, time.Since(start))
	}
	return turns * 1000 / int64(fastest)
})

// compute starts goroutines that never wait.
func compute(goroutines int) (stop func()) {
	var over atomic.Bool
	var done sync.WaitGroup
	for range goroutines {
		done.Go(func() {
			for !over.Load() {
				spin(10_000)
			}
		})
	}
	return func() {
		over.Store(true)
		done.Wait()
	}
}
