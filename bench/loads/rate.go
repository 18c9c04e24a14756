package loads

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const (
	batch    = 256                    // operations between two clock reads: hides the cost of the loop
	slow     = 100 * time.Microsecond // a more expensive operation is a batch by itself
	deadline = 30 * time.Second       // of a call
)

// speed is the cost of an operation.
type speed struct {
	ops  int
	wall float64 // ns an operation: elapsed time by the operations of all goroutines
	cpu  float64 // ns an operation, all CPU time of the process
}

// rate runs worker's functions, which do n operations, for d, each in a
// goroutine.
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
	cpu, start := machine.CPUTime(), time.Now()
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
	return speed{n, float64(time.Since(start)) / float64(n), float64(machine.CPUTime()-cpu) / float64(n)}
}

// byGoroutines measures a rate with 1, 2, 4 and so on up to as many goroutines as
// there are CPUs. worker makes the function of the i-th of n goroutines.
func byGoroutines(c Config, worker func(i, n int) func(n int)) (figures []Figure, ops int) {
	cpus := runtime.GOMAXPROCS(0)
	for n := 1; ; n = min(2*n, cpus) {
		s := rate(c.Time(500*ms), n, func(i int) func(int) { return worker(i, n) })
		name := "1 goroutine"
		if n > 1 {
			name = fmt.Sprintf("%d goroutines", n)
		}
		figures = append(figures, Figure{Name: name, Unit: PerOp, Value: s.wall})
		if ops += s.ops; n == cpus {
			return figures, ops
		}
	}
}

// far returns delays between one and two hours, spread evenly and in no order, like
// the idle timeouts of connections.
func far(i int) time.Duration {
	const golden = 0x9E3779B97F4A7C15 // Weyl's sequence: covers the range evenly
	spread, _ := bits.Mul64(uint64(i)*golden, uint64(time.Hour))
	return time.Hour + time.Duration(spread)
}

// fill arms n far timeouts.
func fill(t peers.Timer, tick time.Duration, n int) []peers.Armed {
	arm := peers.ArmNever(t)
	all := make([]peers.Armed, n)
	for i := range all {
		all[i] = arm(far(i))
	}
	settle(tick, n)
	return all
}

// settle waits until a timer has filed n timeouts, and collects garbage.
func settle(tick time.Duration, n int) {
	time.Sleep(5*tick/2 + time.Duration(n)*100)
	runtime.GC()
	runtime.GC()
}
