package wheeltime_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// Each benchmark except the last compares the time package (impl=std) with the wheel:
//
//	go test -run '^$' -bench . -benchmem ./wheeltime

// compare runs, on all processors, the operations that std and wheel return; each goroutine calls std or wheel once.
func compare(b *testing.B, std func() (op func()), wheel func(tm *hashedwheel.Timer) (op func())) {
	b.Run("impl=std", func(b *testing.B) { inParallel(b, std) })
	b.Run("impl=wheel", func(b *testing.B) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
		defer tm.StopAll()
		inParallel(b, func() (op func()) { return wheel(tm) })
	})
}

func inParallel(b *testing.B, start func() (op func())) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for op := start(); pb.Next(); {
			op()
		}
	})
}

// BenchmarkNewTimerStop is a deadline for a call.
func BenchmarkNewTimerStop(b *testing.B) {
	compare(b, func() (op func()) {
		return func() { time.NewTimer(30 * time.Second).Stop() }
	}, func(tm *hashedwheel.Timer) (op func()) {
		return func() { wheeltime.NewTimer(tm, 30*time.Second).Stop() }
	})
}

func BenchmarkAfterFuncReset(b *testing.B) {
	compare(b, func() (op func()) {
		t := time.AfterFunc(time.Hour, timertest.Nop)
		return func() { t.Reset(time.Hour) }
	}, func(tm *hashedwheel.Timer) (op func()) {
		t := wheeltime.AfterFunc(tm, time.Hour, timertest.Nop)
		return func() { t.Reset(time.Hour) }
	})
}

// BenchmarkAfter never waits for its channels. Each call keeps a timeout pending for a second.
func BenchmarkAfter(b *testing.B) {
	compare(b, func() (op func()) {
		return func() { time.After(time.Second) }
	}, func(tm *hashedwheel.Timer) (op func()) {
		return func() { wheeltime.After(tm, time.Second) }
	})
}

// BenchmarkWaitsThatOutliveStop stops a wheel on which 300,000 channels are pending. The first are due two seconds
// after they were made; the benchmark waits for all that are due within a second of these. The figures are the worst of
// all rounds: how long Timer.StopAll took, how late a channel was, and how much was allocated from Timer.StopAll to the
// last receive.
//
//	go test -run '^$' -bench Outlive -benchtime 3x ./wheeltime
func BenchmarkWaitsThatOutliveStop(b *testing.B) {
	const n = 300_000
	for name, between := range map[string]time.Duration{
		"NewTimer/at-once": 0, "NewTimer/spread": time.Second / n, "After/one-a-tick": time.Millisecond,
	} {
		b.Run(name, func(b *testing.B) {
			var stopping, late time.Duration
			var allocated uint64
			for range b.N {
				tm := hashedwheel.MustNew()
				first := time.Now().Add(2 * time.Second)
				receive := make([]func(), n)
				for _, i := range rand.Perm(n) {
					d := time.Until(first.Add(time.Duration(i) * between))
					if strings.HasPrefix(name, "After") {
						c := tm.After(d)
						receive[i] = func() { <-c }
					} else {
						c := wheeltime.NewTimer(tm, d).C
						receive[i] = func() { <-c }
					}
				}
				tm.Pending()
				before, begun := totalAlloc(), time.Now()
				tm.StopAll()
				stopping = max(stopping, time.Since(begun))
				for i := range min(n, int(time.Second/max(between, 1))) {
					receive[i]()
					late = max(late, time.Since(first.Add(time.Duration(i)*between)))
				}
				allocated = max(allocated, totalAlloc()-before)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(stopping.Microseconds())/1000, "stop-ms")
			b.ReportMetric(float64(late.Microseconds())/1000, "late-ms")
			b.ReportMetric(float64(allocated)/1e6, "MB")
		})
	}
}

func totalAlloc() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
