package series_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// BenchmarkEvery runs 10,000 series of 10ms for a second. The figure to compare
// is cpu-ns/run: all CPU time of the process.
func BenchmarkEvery(b *testing.B) {
	const n, period = 10_000, 10 * time.Millisecond
	measure := func(b *testing.B, start func(f func()) (end func())) {
		var cpu time.Duration
		var runs atomic.Int64
		for b.Loop() {
			before := timertest.CPUTime()
			end := start(func() { runs.Add(1) })
			time.Sleep(time.Second)
			end()
			cpu += timertest.CPUTime() - before
		}
		b.ReportMetric(float64(cpu)/float64(runs.Load()), "cpu-ns/run")
		b.ReportMetric(float64(runs.Load())/float64(b.N), "runs/op")
	}
	b.Run("impl=std", func(b *testing.B) {
		measure(b, func(f func()) func() { return startTickers(n, period, f) })
	})
	every := func(b *testing.B, opts ...hashedwheel.Option) {
		tm := timertest.New(opts...)
		defer tm.Stop()
		measure(b, func(f func()) func() {
			all := make([]*hashedwheel.Series, n)
			for i := range all {
				all[i] = tm.Every(period, func(*hashedwheel.Series) { f() })
			}
			return func() {
				for _, series := range all {
					series.Stop()
				}
			}
		})
	}
	b.Run("impl=goroutines", func(b *testing.B) { every(b) })
	b.Run("impl=Inline", func(b *testing.B) { every(b, timertest.Inline) })
}

// startTickers is the standard library's way: a ticker and a goroutine each.
func startTickers(n int, period time.Duration, f func()) (end func()) {
	var running sync.WaitGroup
	quit := make(chan struct{})
	for range n {
		running.Go(func() {
			ticker := time.NewTicker(period)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					f()
				case <-quit:
					return
				}
			}
		})
	}
	return func() {
		close(quit)
		running.Wait()
	}
}
