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
// while the others wait for their turn. In its turn a goroutine computes for 500 µs, arms a timeout of 30 s, stops its
// previous timeout, and hands the turn on. late is the lateness of a heartbeat of 5 ms on the same timer, and stalls
// counts how often the heartbeat was more than 60 ms late; ./stalls sums them up. One of the two ticks is shorter than
// Go's time slice of 10 ms. A server has other timers, such as those of its connections: with beside=timer a function
// of time.AfterFunc runs every 7 ms, with 3timers three run every 5, 7 and 11 ms, and conn is a TCP connection whose
// ends set a read deadline before each read.
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

// stalls returns how often a heartbeat was more than 60 ms late. A stall delays several beats, each less than the beat
// before, and counts once.
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

// handOn starts the server's goroutines. At any time half of them have a turn, and the others wait for one, in order.
// over ends them, and returns the number of turns.
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

// work does as much work as a processor does in d, not counting interruptions.
func work(d time.Duration) { spin(int(d.Nanoseconds() * turnsPerMicrosecond() / 1000)) }

// spin does work that the compiler does not remove.
func spin(turns int) {
	x := uint64(0)
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}

// turnsPerMicrosecond is the speed of spin: the fastest of several attempts, since any may be interrupted.
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

func TestStallCountsOnceHoweverManyBeatsItDelays(t *testing.T) {
	for _, c := range []struct {
		late []float64
		want int
	}{
		{[]float64{1, 60, 55, 1}, 0},
		{[]float64{61, 56}, 1},
		{[]float64{80, 75, 70, 65, 1, 70, 65}, 2},
		{[]float64{80, 75, 70, 200, 195}, 2},
	} {
		if n := stalls(c.late); n != c.want {
			t.Errorf("%v: %d stalls, want %d", c.late, n, c.want)
		}
	}
}
