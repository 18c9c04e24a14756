package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkTicks is the load of cmd/gain at each tick: for each pending idle timeout two moves a second, and half a
// deadline, of which 1% expire. timers-cpu is the CPU time beyond the load's own. Package time has no tick: its
// lines stand at 10 ms.
func BenchmarkTicks(b *testing.B) {
	for _, n := range []int{count(1000), count(10_000), count(100_000)} {
		for _, tick := range []time.Duration{
			100 * time.Microsecond, 300 * time.Microsecond, ms, 3 * ms, 10 * ms, 30 * ms, 100 * ms,
		} {
			fits := func(k Kind) bool { return k.Name == Two[1].Name || k.Name == Two[0].Name && tick == 10*ms }
			each(b, fmt.Sprintf("pending=%s/tick=%v", short(n), tick), fits, func(b *testing.B, k Kind) {
				load := Steady{
					Pending: n, Moves: 2 * n, Arms: n / 2, Expire: 0.01, Tick: tick, For: span(4 * time.Second),
				}
				figures, err := load.RunBeyondLoad(k)
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
}
