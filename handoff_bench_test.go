package hashedwheel_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// BenchmarkSlowTasks fires 20,000 timeouts spread over 200 ms, of which one in a
// hundred sleeps 5 ms. The figures to compare are how late the others are, in
// milliseconds after their deadlines; the tick, 1 ms, is in the wheel's.
func BenchmarkSlowTasks(b *testing.B) {
	const tick = time.Millisecond
	b.Run("impl=std", func(b *testing.B) {
		fireAmongSlow(b, func(d time.Duration, f func()) { time.AfterFunc(d, f) })
	})
	b.Run("impl=goroutines", func(b *testing.B) {
		tm := newTimer(b, hashedwheel.WithTick(tick))
		fireAmongSlow(b, func(d time.Duration, f func()) { tm.AfterFunc(d, f) })
	})
	b.Run("impl=Inline", func(b *testing.B) {
		tm := newTimer(b, hashedwheel.WithTick(tick), inlined)
		fireAmongSlow(b, func(d time.Duration, f func()) { tm.AfterFunc(d, f) })
	})
}

func fireAmongSlow(b *testing.B, arm func(d time.Duration, f func())) {
	const n, spread, slow = 20_000, 200 * time.Millisecond, 5 * time.Millisecond
	var all []time.Duration
	for b.Loop() {
		late := make([]time.Duration, n)
		var done sync.WaitGroup
		done.Add(n)
		for i := range n {
			d := 50*time.Millisecond + time.Duration(i*7919%n)*spread/n // in no order
			deadline := time.Now().Add(d)
			arm(d, func() {
				defer done.Done()
				if late[i] = time.Since(deadline); i%100 == 0 {
					time.Sleep(slow)
				}
			})
		}
		done.Wait()
		for i, d := range late {
			if i%100 != 0 {
				all = append(all, d)
			}
		}
	}
	reportLateness(b, all)
}

func reportLateness(b *testing.B, late []time.Duration) {
	slices.Sort(late)
	for unit, part := range map[string]float64{"p50-ms": 0.50, "p99-ms": 0.99, "max-ms": 1} {
		at := late[int(part*float64(len(late)-1))]
		b.ReportMetric(float64(at)/float64(time.Millisecond), unit)
	}
}
