package bench

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkMemory measures the heap memory of a pending timeout, including all that the timer holds for it, and
// excluding its function and the pointer to it. left is the memory still in use two seconds after all were stopped.
func BenchmarkMemory(b *testing.B) {
	n := count(1e6)
	each(b, "pending="+short(n), anyKind, func(b *testing.B, k Kind) {
		t := k.Open(ms)
		all := make([]Armed, n)
		settle(ms, 0)
		before := heapBytes()
		for i := range all {
			all[i] = t.AfterFunc(far(i), nop)
		}
		settle(ms, n)
		b.ReportMetric((heapBytes()-before)/float64(n), "B/timeout")
		for i, to := range all {
			to.Stop()
			all[i] = nil
		}
		time.Sleep(span(2 * time.Second))
		settle(ms, 0)
		b.ReportMetric(max(0, heapBytes()-before)/mib, "left-MiB")
		runtime.KeepAlive(all)
		once(b)
	})
}
