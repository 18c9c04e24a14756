package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkFar measures how late a timeout of 20 s runs in a process that does nothing else. Linux lets a wait end late
// by a thousandth of its length, unless another interrupt of the same processor ends it: about one process in five is
// punctual by chance. Other loads do not show it, since a process that wakes up often has no long waits.
func BenchmarkFar(b *testing.B) {
	d := span(20 * time.Second)
	each(b, fmt.Sprintf("delay=%v/tick=1ms", d), isOneOfTwo, func(b *testing.B, k Kind) {
		t := k.Open(ms)
		settle(ms, 0) // no collection begins while the timeout is pending
		late, start := make(chan time.Duration), time.Now()
		t.AfterFunc(d, func() { late <- time.Since(start) - d })
		took := <-late
		b.ReportMetric(float64(took)/1e6, "late-ms")
		reportEarly(b, k, -float64(took)/1e6)
		once(b)
	})
}
