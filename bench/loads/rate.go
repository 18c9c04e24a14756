package loads

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const (
	batch    = 256                    // operations between two looks at the time: hides the loop's own cost
	slow     = 100 * time.Microsecond // an operation that costs more is a batch of its own
	deadline = 30 * time.Second       // of a call
)

// speed is what an operation cost.
type speed struct {
	ops  int
	wall float64 // ns an operation: elapsed time by the operations of all goroutines
	cpu  float64 // ns an operation, all CPU time of the process
}

// rate runs the function that worker returns, which does n operations, for d in
// so many goroutines.
func rate(d time.Duration, goroutines int, worker func(i int) func(n int)) speed {
	var ops atomic.Int64
	var stop atomic.Bool
	var done sync.WaitGroup
	runs := make([]func(n int), goroutines)
	each := 1
	for i := range runs {
		runs[i] = worker(i)
		runs[i](1) // warm
		start := time.Now()
		if runs[i](1); time.Since(start) < slow {
			each = batch
		}
	}
	cpu, start := cpuTime(), time.Now()
	for _, run := range runs {
		done.Go(func() {
			n := 0
			for ; !stop.Load(); n += each {
				run(each)
			}
			ops.Add(int64(n))
		})
	}
	time.Sleep(d)
	stop.Store(true)
	done.Wait()
	n := int(ops.Load())
	return speed{n, float64(time.Since(start)) / float64(n), float64(cpuTime()-cpu) / float64(n)}
}

// goroutineCounts returns 1, 2, 4 and so on up to, and with, all CPUs.
func goroutineCounts() []int {
	cpus := runtime.GOMAXPROCS(0)
	counts := []int{}
	for n := 1; n < cpus; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, cpus)
}

func goroutines(n int) string {
	if n == 1 {
		return "1 goroutine"
	}
	return fmt.Sprintf("%d goroutines", n)
}

// far returns delays from one to two hours, spread evenly and in no order, as
// the deadlines of things that began at different times are.
func far(i int) time.Duration {
	const golden = 0x9E3779B97F4A7C15 // Weyl's sequence: hits every part of the range alike
	spread, _ := bits.Mul64(uint64(i)*golden, uint64(time.Hour))
	return time.Hour + time.Duration(spread)
}

// fill has n timeouts pending.
func fill(t peers.Timer, tick time.Duration, n int) []peers.Armed {
	arm := peers.ArmNever(t)
	all := make([]peers.Armed, n)
	for i := range all {
		all[i] = arm(far(i))
	}
	settle(tick, n)
	return all
}

// settle gives a timer time to take in n timeouts, and the collector to rest.
func settle(tick time.Duration, n int) {
	time.Sleep(5*tick/2 + time.Duration(n)*100)
	runtime.GC()
	runtime.GC()
}
