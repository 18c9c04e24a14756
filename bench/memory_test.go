package bench

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkMemory is the heap memory of a pending timeout and all that the timer holds for it, without the pointer to
// it and its function. left is what of that is there two seconds after all were stopped.
func BenchmarkMemory(b *testing.B) {
	n := count(1e6)
	each(b, "pending="+short(n), notDrawn, func(b *testing.B, k Kind) {
		arm := armer(k.Open(armTick))
		all := make([]Armed, n)
		settle(armTick, 0)
		before := heapBytes()
		for i := range all {
			all[i] = arm(far(i))
		}
		settle(armTick, n)
		b.ReportMetric((heapBytes()-before)/float64(n), "B/timeout")
		for i, to := range all {
			to.Stop()
			all[i] = nil
		}
		time.Sleep(span(2 * time.Second))
		settle(armTick, 0)
		b.ReportMetric(max(0, heapBytes()-before)/mib, "left-MiB")
		runtime.KeepAlive(all)
		once(b)
	})
}

// BenchmarkStopped stops some of many pending timeouts, each of which holds 1 KiB. held is what of that is not
// collected two seconds later, while the others stay pending.
func BenchmarkStopped(b *testing.B) {
	n, of := count(45_000), count(200_000)
	each(b, fmt.Sprintf("stopped=%s/of=%s", short(n), short(of)), notDrawn, func(b *testing.B, k Kind) {
		t := k.Open(armTick)
		var freed atomic.Int64
		var stopped []Armed
		for i := range of {
			if i*n/of == (i+1)*n/of {
				t.AfterFunc(far(i), nop)
				continue
			}
			held := new([1024]byte)
			runtime.AddCleanup(held, func(int) { freed.Add(1) }, 0)
			stopped = append(stopped, t.AfterFunc(far(i), func() { runtime.KeepAlive(held) }))
		}
		settle(armTick, of)
		for i, to := range stopped {
			to.Stop()
			stopped[i] = nil
		}
		time.Sleep(span(2 * time.Second))
		settle(armTick, 0)
		time.Sleep(100 * ms) // for the cleanups
		b.ReportMetric(float64(len(stopped)-int(freed.Load()))/1024, "held-MiB")
		once(b)
	})
}
