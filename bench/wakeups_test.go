package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkWakeups is how often calls alone wake the timer: deadlines of 30 s at a fixed rate, each stopped after 5 ms,
// and nothing that is due.
func BenchmarkWakeups(b *testing.B) {
	for _, rate := range []int{count(1000), count(100_000)} {
		for _, tick := range []time.Duration{ms, 10 * ms} {
			each(b, fmt.Sprintf("rate=%s/tick=%v", short(rate), tick), isWheel, func(b *testing.B, k Kind) {
				t := k.Open(tick).(wheel)
				settle(tick, 0)
				calls := pacedCalls{timer: t}
				before := t.Stats().Wakeups
				took := eachMillisecond(span(3*time.Second), func(ms int) { calls.round(ms, dueBy(rate, ms)) })
				b.ReportMetric(float64(t.Stats().Wakeups-before)/took.Seconds(), "wakeups/s")
				if _, err := calls.end(); err != nil {
					b.Error(err)
				}
				once(b)
			})
		}
	}
}
