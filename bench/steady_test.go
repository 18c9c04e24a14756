package bench

import (
	"testing"
	"time"
)

// BenchmarkSteady is deadlines at the same rate for every timer: 99 in a hundred of 30 s that are stopped 5 ms later,
// and one of 1 s that expires.
func BenchmarkSteady(b *testing.B) {
	for _, rate := range []int{count(100_000), count(1e6)} {
		each(b, "rate="+short(rate), notDrawn, func(b *testing.B, k Kind) {
			figures, err := Steady{Arms: rate, Expire: 0.01, Tick: ms, For: span(3 * time.Second)}.Run(k)
			if err != nil {
				b.Fatal(err)
			}
			for _, f := range figures {
				b.ReportMetric(f.Value, f.Unit)
			}
			once(b)
		})
	}
}
