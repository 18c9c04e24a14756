package hashedwheel_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Each benchmark here compares package time with this library:
//
//	go test -run '^$' -bench . -benchmem    # less than a minute on two cores
//
// Compare the lines of one benchmark, since times depend on the machine. The column "pending" shows how
// many other timeouts are pending during the run.

// newTimer returns a Timer that is stopped at the end of b.
func newTimer(b *testing.B, opts ...hashedwheel.Option) *hashedwheel.Timer {
	tm := hashedwheel.MustNew(opts...)
	b.Cleanup(func() { tm.Stop() })
	return tm
}

// fillWheel and fillStd arm n timeouts that stay pending.
func fillWheel(tm *hashedwheel.Timer, n int) []hashedwheel.Timeout {
	all := make([]hashedwheel.Timeout, n)
	for i := range all {
		all[i].Init(tm, timertest.NopTask)
		all[i].Reset(time.Hour)
	}
	tm.Pending() // leaves nothing in the queue
	return all
}

func fillStd(n int) []*time.Timer {
	all := make([]*time.Timer, n)
	for i := range all {
		all[i] = time.AfterFunc(time.Hour, timertest.Nop)
	}
	return all
}

func stopStd(all []*time.Timer) {
	for _, t := range all {
		t.Stop()
	}
}

// BenchmarkArmStop arms a new timeout and stops it, like the deadline of a call that returns in time.
func BenchmarkArmStop(b *testing.B) { armStop(b, 0) }

// BenchmarkArmStopMillionPending is BenchmarkArmStop while a million other timeouts are pending.
func BenchmarkArmStopMillionPending(b *testing.B) { armStop(b, million) }

func armStop(b *testing.B, pending int) {
	std := fillStd(pending) // once, since Run calls its function several times
	b.Run("time.AfterFunc", func(b *testing.B) {
		runParallel(b, pending, func(pb *testing.PB) {
			for pb.Next() {
				time.AfterFunc(30*time.Second, timertest.Nop).Stop()
			}
		})
	})
	stopStd(std)
	tm := newTimer(b)
	fillWheel(tm, pending)
	b.Run("hashedwheel", func(b *testing.B) {
		runParallel(b, pending, func(pb *testing.PB) {
			for pb.Next() {
				tm.AfterFunc(30*time.Second, timertest.Nop).Stop()
			}
		})
	})
}

// runParallel runs f on all processors, and reports how many other timeouts are pending.
func runParallel(b *testing.B, pending int, f func(pb *testing.PB)) {
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(f)
	b.ReportMetric(float64(pending), "pending")
}

// BenchmarkRearmStop is BenchmarkArmStop with a timeout that is used again and again.
func BenchmarkRearmStop(b *testing.B) {
	b.Run("time.Timer", func(b *testing.B) {
		runParallel(b, 0, func(pb *testing.PB) {
			own := time.AfterFunc(time.Hour, timertest.Nop)
			for pb.Next() {
				own.Reset(30 * time.Second)
				own.Stop()
			}
		})
	})
	b.Run("hashedwheel", func(b *testing.B) {
		tm := newTimer(b)
		runParallel(b, 0, func(pb *testing.PB) {
			var own hashedwheel.Timeout
			own.Init(tm, timertest.NopTask)
			for pb.Next() {
				own.Reset(30 * time.Second)
				own.Stop()
			}
		})
	})
	b.Run("hashedwheel.ResetAt", func(b *testing.B) {
		tm := newTimer(b)
		runParallel(b, 0, func(pb *testing.PB) {
			var own hashedwheel.Timeout
			own.Init(tm, timertest.NopTask)
			at := time.Now().Add(30 * time.Second)
			for pb.Next() {
				own.ResetAt(at)
				own.Stop()
			}
		})
	})
}

const million = 1_000_000

// idleTimer is a *time.Timer in a struct of 48 bytes, the size of a Timeout.
type idleTimer struct {
	*time.Timer
	_ [5]uintptr
}

// BenchmarkMoveLater moves one of a million pending timeouts later, like an idle timeout at each read. On
// both sides the timeouts are in a slice of structs of 48 bytes, which for package time hold a pointer.
func BenchmarkMoveLater(b *testing.B) {
	std := make([]idleTimer, million)
	timers := fillStd(million)
	for i, t := range timers {
		std[i].Timer = t
	}
	b.Run("time.Timer", func(b *testing.B) {
		moveLater(b, func(i uint32) { std[i].Reset(2 * time.Hour) })
	})
	stopStd(timers)
	all := fillWheel(newTimer(b), million)
	b.Run("hashedwheel", func(b *testing.B) {
		moveLater(b, func(i uint32) { all[i].Reset(2 * time.Hour) })
	})
	b.Run("hashedwheel.ResetAt", func(b *testing.B) {
		moveLaterAt(b, func(i uint32, at time.Time) { all[i].ResetAt(at) })
	})
}

func moveLater(b *testing.B, move func(i uint32)) {
	runParallel(b, million, func(pb *testing.PB) {
		for pb.Next() {
			move(rand.Uint32N(million))
		}
	})
}

func moveLaterAt(b *testing.B, resetAt func(i uint32, at time.Time)) {
	runParallel(b, million, func(pb *testing.PB) {
		at := time.Now().Add(2 * time.Hour)
		for pb.Next() {
			at = at.Add(1) // as if an event loop had read the clock
			resetAt(rand.Uint32N(million), at)
		}
	})
}

// BenchmarkFire arms 500,000 timeouts and waits until all tasks have run. Compare cpu-ns/timeout, the CPU
// time of the whole process.
func BenchmarkFire(b *testing.B) {
	const n = 500_000
	fire := func(b *testing.B, arm func(d time.Duration, f func())) {
		var cpu time.Duration
		for b.Loop() {
			before := timertest.CPUTime()
			var done sync.WaitGroup
			done.Add(n)
			f := func() { done.Done() }
			for range n {
				arm(50*time.Millisecond, f)
			}
			done.Wait()
			cpu += timertest.CPUTime() - before
		}
		b.ReportMetric(float64(cpu)/float64(b.N*n), "cpu-ns/timeout")
		b.ReportMetric(n, "pending")
	}
	b.Run("time.AfterFunc", func(b *testing.B) {
		fire(b, func(d time.Duration, f func()) { time.AfterFunc(d, f) })
	})
	b.Run("hashedwheel", func(b *testing.B) {
		tm := newTimer(b, hashedwheel.WithTick(10*time.Millisecond))
		fire(b, func(d time.Duration, f func()) { tm.AfterFunc(d, f) })
	})
	b.Run("hashedwheel.Inline", func(b *testing.B) {
		tm := newTimer(b, hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
		fire(b, func(d time.Duration, f func()) { tm.AfterFunc(d, f) })
	})
}
