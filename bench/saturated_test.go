package bench

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkSaturated is a server at its limit: fifty goroutines for each processor, half of which wait for a processor
// while the others wait for them. A goroutine that has its turn computes 500 µs, arms a timeout of 30 s, stops the one
// before and hands on to the next. late is a heartbeat of 5 ms on the same timer, and stalls is how often it stalled:
// ran more than 60 ms late. ./stalls counts them. One tick is shorter than Go's time slice of 10 ms. A server has other
// timers, as those of its connections: with beside=timer a function of time.AfterFunc runs every 7 ms, with 3timers
// three run every 5, 7 and 11 ms, and conn is a TCP connection whose ends set a read deadline before each read.
func BenchmarkSaturated(b *testing.B) {
	for _, beside := range []string{"nothing", "timer", "3timers", "conn"} {
		for _, tick := range []time.Duration{ms, 10 * ms} {
			each(b, fmt.Sprintf("beside=%s/tick=%v", beside, tick), isOneOfTwo, func(b *testing.B, k Kind) {
				turnsPerMicrosecond()
				t := k.Open(tick)
				settle(tick, 0)
				beat := startBeats(t, 5*ms)
				endBeside := startBeside(b, beside)
				over := handOn(t)
				took := span(5 * time.Second)
				time.Sleep(took)
				turns := over()
				late := beat.end()
				endBeside()
				b.ReportMetric(float64(stalls(late)), "stalls")
				quantiles(b, "late", "ms", late, 50, 99, 100)
				b.ReportMetric(float64(turns)/took.Seconds(), "turns/s")
				once(b)
			})
		}
	}
}

// stalls returns how many of a heartbeat's beats ran more than 60 ms late. The beats that one of them delayed follow
// it in late, each less late than the one before.
func stalls(late []float64) (n int) {
	before := 0.0
	for _, l := range late {
		if l > 60 && l > before {
			n++
		}
		before = l
	}
	return n
}

// handOn starts the server's goroutines. Half of them have a turn at a time, and the others wait in order. over ends
// them, and returns the number of turns.
func handOn(t Timer) (over func() int64) {
	running := 25 * runtime.GOMAXPROCS(0)
	waiting := make(chan chan struct{}, 2*running)
	var turns atomic.Int64
	var isOver atomic.Bool
	for i := range 2 * running {
		mine := make(chan struct{}, 1)
		if i < running {
			mine <- struct{}{}
		} else {
			waiting <- mine
		}
		go func() {
			before := t.AfterFunc(deadline, nop)
			for range mine {
				if isOver.Load() {
					return
				}
				work(500 * time.Microsecond)
				to := t.AfterFunc(deadline, nop)
				before.Stop()
				before = to
				turns.Add(1)
				next := <-waiting
				waiting <- mine
				next <- struct{}{}
			}
		}()
	}
	return func() int64 {
		isOver.Store(true)
		return turns.Load()
	}
}

// work keeps the processor busy with d of work, however long it is interrupted.
func work(d time.Duration) { spin(int(d.Nanoseconds() * turnsPerMicrosecond() / 1000)) }

// spin is work that the compiler keeps.
func spin(turns int) {
	x := uint64(0)
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}

// turnsPerMicrosecond is the speed of spin: the fastest of several attempts, since others may have the processor.
var turnsPerMicrosecond = sync.OnceValue(func() int64 {
	const turns = 100_000
	fastest := time.Hour
	for range 50 {
		start := time.Now()
		spin(turns)
		fastest = min(fastest, time.Since(start))
	}
	return turns * 1000 / int64(fastest)
})
