package wheeltime_test

import (
	"math/rand/v2"
	"strconv"
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

// BenchmarkStopAll stops a wheel on which channels are pending, the first of which is due as StopAll begins. The
// figures are the worst of all rounds: how long StopAll took, and how late the channels were that were due while it
// ran.
//
//	go test -run '^$' -bench StopAll -benchtime 3x ./wheeltime
func BenchmarkStopAll(b *testing.B) {
	const d = 3 * time.Second // until the first is due
	for _, n := range []int{100_000, 1_000_000} {
		b.Run("channels="+strconv.Itoa(n), func(b *testing.B) {
			var stopping, late time.Duration
			for range b.N {
				tm, timers := hashedwheel.MustNew(), make([]*wheeltime.Timer, n)
				first, due := time.Now().Add(d), make([]time.Time, n)
				for _, i := range rand.Perm(n) {
					due[i] = first.Add(time.Duration(i) * time.Minute / time.Duration(n))
					timers[i] = wheeltime.NewTimer(tm, time.Until(due[i]))
				}
				time.Sleep(time.Until(first.Add(-time.Millisecond)))
				begun := time.Now()
				tm.StopAll()
				took := time.Since(begun)
				stopping = max(stopping, took)
				for i, timer := range timers {
					if due[i].After(begun.Add(took)) {
						timer.Stop()
						continue
					}
					at := <-timer.C
					late = max(late, at.Sub(due[i]))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(stopping.Microseconds())/1000, "stop-ms")
			b.ReportMetric(float64(late.Microseconds())/1000, "late-ms")
		})
	}
}
