package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// BenchmarkIdle measures the CPU time of waiting: with nothing pending, and with a million timeouts that are far from
// due.
func BenchmarkIdle(b *testing.B) {
	for _, n := range []int{0, count(1e6)} {
		each(b, fmt.Sprintf("pending=%s/tick=1ms", short(n)), anyKind, func(b *testing.B, k Kind) {
			fill(k.Open(ms), ms, n)
			time.Sleep(span(time.Second)) // until the runtime has returned the memory that filling needed
			cpu, start := timertest.CPUTime(), time.Now()
			time.Sleep(span(2 * time.Second))
			b.ReportMetric(100*float64(timertest.CPUTime()-cpu)/float64(time.Since(start)), "cpu-%")
			once(b)
		})
	}
}
