package hashedwheel_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The library's hot paths beside package time. Each benchmark has the standard
// library's way (impl=std) and the wheel's, so that one run compares them:
//
//	go test -run '^$' -bench . -benchmem
//
// An absolute time depends on the machine; the ratio within a run does not.

// newTimer has the default options, but for those given, and ends with b.
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
	tm.Pending() // drains
	return all
}

func fillStd(b *testing.B, n int) []*time.Timer {
	all := make([]*time.Timer, n)
	for i := range all {
		all[i] = time.AfterFunc(time.Hour, timertest.Nop)
	}
	b.Cleanup(func() {
		for _, t := range all {
			t.Stop()
		}
	})
	return all
}

// BenchmarkArmStop arms a new timeout and stops it: a deadline for each call.
func BenchmarkArmStop(b *testing.B) {
	for _, pending := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d/impl=std", pending), func(b *testing.B) {
			fillStd(b, pending)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					time.AfterFunc(30*time.Second, timertest.Nop).Stop()
				}
			})
		})
		b.Run(fmt.Sprintf("pending=%d/impl=AfterFunc", pending), func(b *testing.B) {
			tm := newTimer(b)
			fillWheel(tm, pending)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					tm.AfterFunc(30*time.Second, timertest.Nop).Stop()
				}
			})
		})
	}
}

// BenchmarkRearmStop does the same to a timeout that the caller owns.
func BenchmarkRearmStop(b *testing.B) {
	b.Run("impl=std", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			own := time.AfterFunc(time.Hour, timertest.Nop)
			for pb.Next() {
				own.Reset(30 * time.Second)
				own.Stop()
			}
		})
	})
	b.Run("impl=Reset", func(b *testing.B) {
		tm := newTimer(b)
		b.RunParallel(func(pb *testing.PB) {
			var own hashedwheel.Timeout
			own.Init(tm, timertest.NopTask)
			for pb.Next() {
				own.Reset(30 * time.Second)
				own.Stop()
			}
		})
	})
	b.Run("impl=ResetAt", func(b *testing.B) {
		tm := newTimer(b)
		b.RunParallel(func(pb *testing.PB) {
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

// idleTimer is a timer of package time in a struct that has 64 bytes, as a Timeout.
type idleTimer struct {
	*time.Timer
	_ [7]uintptr
}

// BenchmarkMoveLater moves one of a million pending timeouts later: an idle
// timeout at each read. The two sides are laid out alike: held=pointer reaches
// each timeout through a pointer of its own (package time: to the Timer that
// AfterFunc has returned); held=value has them in a struct of 64 bytes one behind
// the other, where package time has no more than a pointer to offer.
func BenchmarkMoveLater(b *testing.B) {
	const n = 1 << 20
	b.Run("held=pointer/impl=std", func(b *testing.B) { moveLater(b, fillStd(b, n)) })
	b.Run("held=pointer/impl=Reset", func(b *testing.B) { moveLater(b, fillPointers(newTimer(b), n)) })
	b.Run("held=pointer/impl=ResetAt", func(b *testing.B) {
		all := fillPointers(newTimer(b), n)
		moveLaterAt(b, n, func(i uint32, at time.Time) { all[i].ResetAt(at) })
	})
	b.Run("held=value/impl=std", func(b *testing.B) {
		all := make([]idleTimer, n)
		for i, t := range fillStd(b, n) {
			all[i].Timer = t
		}
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				all[rand.Uint32()%n].Reset(2 * time.Hour)
			}
		})
	})
	b.Run("held=value/impl=Reset", func(b *testing.B) {
		all := fillWheel(newTimer(b), n)
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				all[rand.Uint32()%n].Reset(2 * time.Hour)
			}
		})
	})
	b.Run("held=value/impl=ResetAt", func(b *testing.B) {
		all := fillWheel(newTimer(b), n)
		moveLaterAt(b, n, func(i uint32, at time.Time) { all[i].ResetAt(at) })
	})
}

func moveLater[T interface{ Reset(time.Duration) bool }](b *testing.B, all []T) {
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			all[rand.Uint32()%uint32(len(all))].Reset(2 * time.Hour)
		}
	})
}

func moveLaterAt(b *testing.B, n uint32, resetAt func(i uint32, at time.Time)) {
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		at := time.Now().Add(2 * time.Hour)
		for pb.Next() {
			at = at.Add(1) // as if the event loop had read the clock
			resetAt(rand.Uint32()%n, at)
		}
	})
}

// fillPointers arms n timeouts, each an object of its own.
func fillPointers(tm *hashedwheel.Timer, n int) []*hashedwheel.Timeout {
	all := make([]*hashedwheel.Timeout, n)
	for i := range all {
		all[i] = tm.AfterFunc(time.Hour, timertest.Nop)
	}
	tm.Pending() // drains
	return all
}

// BenchmarkIdleConn moves the idle timeout of a TCP connection: for a caller that
// reads the clock each time, and for an event loop that has read it for all
// (clock=given).
func BenchmarkIdleConn(b *testing.B) {
	type times func() time.Time
	read := func() times { return func() time.Time { return time.Now().Add(time.Minute) } }
	given := func() times {
		at := time.Now().Add(time.Minute)
		return func() time.Time {
			at = at.Add(1)
			return at
		}
	}
	std := func(newTimes func() times) func(b *testing.B) {
		return func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				conn, next := loopback(b), newTimes()
				for pb.Next() {
					_ = conn.SetReadDeadline(next())
				}
			})
		}
	}
	b.Run("clock=read/impl=std", std(read))
	b.Run("clock=read/impl=Reset", func(b *testing.B) {
		tm := newTimer(b)
		b.RunParallel(func(pb *testing.PB) {
			var idle hashedwheel.Timeout
			idle.Init(tm, timertest.NopTask)
			for pb.Next() {
				idle.Reset(time.Minute)
			}
			idle.Stop()
		})
	})
	b.Run("clock=given/impl=std", std(given))
	b.Run("clock=given/impl=ResetAt", func(b *testing.B) {
		tm := newTimer(b)
		b.RunParallel(func(pb *testing.PB) {
			var idle hashedwheel.Timeout
			idle.Init(tm, timertest.NopTask)
			for next := given(); pb.Next(); {
				idle.ResetAt(next())
			}
			idle.Stop()
		})
	})
}

// loopback returns one end of a TCP connection.
func loopback(b *testing.B) net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Error(err)
		return nil
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			b.Cleanup(func() { conn.Close() })
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Error(err)
		return nil
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

// BenchmarkFire arms 500,000 timeouts and waits until all have expired. The
// figure to compare is cpu-ns/timeout: all CPU time of the process.
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
	}
	b.Run("impl=std", func(b *testing.B) {
		fire(b, func(d time.Duration, f func()) { time.AfterFunc(d, f) })
	})
	b.Run("impl=goroutines", func(b *testing.B) {
		tm := newTimer(b, hashedwheel.WithTick(10*time.Millisecond))
		fire(b, func(d time.Duration, f func()) { tm.AfterFunc(d, f) })
	})
	b.Run("impl=Inline", func(b *testing.B) {
		tm := newTimer(b, hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
		fire(b, func(d time.Duration, f func()) { tm.AfterFunc(d, f) })
	})
}

// BenchmarkDrain is what the worker pays for an arming: filing those that are
// pending, dropping those that were stopped. Rounds of 256 are so few that the
// producer, which files a queue that it finds deep, leaves all to the worker.
func BenchmarkDrain(b *testing.B) {
	const round, rounds = 256, 400
	for _, stopped := range []bool{false, true} {
		b.Run(fmt.Sprintf("stopped=%t", stopped), func(b *testing.B) {
			var tm *hashedwheel.Timer
			var drain time.Duration
			for i := range b.N {
				if i%rounds == 0 { // a new one, before the heap grows large
					tm = newTimer(b, hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
				}
				drain += timeDrain(tm, round, stopped)
			}
			b.ReportMetric(float64(drain)/float64(b.N*round), "drain-ns/timeout")
		})
	}
}

// timeDrain arms n timeouts and returns how long it takes to drain them.
func timeDrain(tm *hashedwheel.Timer, n int, stopped bool) time.Duration {
	for range n {
		if to := tm.AfterFunc(30*time.Second, timertest.Nop); stopped {
			to.Stop()
		}
	}
	start := time.Now()
	tm.Pending() // drains
	return time.Since(start)
}

// BenchmarkClock is what any timer that reads the clock pays for that alone.
func BenchmarkClock(b *testing.B) {
	var sink atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		start := time.Now()
		var last time.Duration
		for pb.Next() {
			last = time.Since(start)
		}
		sink.Store(int64(last))
	})
}
