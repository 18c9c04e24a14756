package bench

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkLate measures how late timeouts of 5 to 10 ms run on an idle machine.
func BenchmarkLate(b *testing.B) {
	each(b, "tick=1ms/next-to=nothing", anyKind, func(b *testing.B, k Kind) {
		t := k.Open(ms)
		settle(ms, 0)
		var fired tally
		late := make([]float64, count(2000))
		start := time.Now()
		for i := range late { // out of step with the tick
			at := start.Add(time.Duration(i) * 1300 * time.Microsecond)
			time.Sleep(time.Until(at))
			due := at.Add(5*ms + time.Duration(i%7)*777*time.Microsecond) // not from now: a sleep ends with a wake-up
			t.AfterFunc(time.Until(due), func() {
				late[i] = float64(time.Since(due)) / 1e6
				fired.fire()
			})
		}
		fired.wait(b, k, len(late))
		reportEarly(b, k, -slices.Min(late))
		quantiles(b, "late", "ms", late, 50, 99, 99.9)
		once(b)
	})
}
