package bench

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkCalls runs a loop on each processor that arms deadlines of 30 s as fast as it can, and stops each about 5 ms
// later, as if the answer had arrived. One call in a hundred gets no answer: its deadline of 1 s expires. The timeouts
// of answered calls are dropped, or armed again for later calls, the latest one first. arming is the duration of one
// AfterFunc or Reset, chosen at random, in every hundred.
func BenchmarkCalls(b *testing.B) {
	for _, timeouts := range []string{"new", "reused"} {
		fits := anyKind
		if timeouts == "reused" {
			fits = owners
		}
		each(b, "timeouts="+timeouts, fits, func(b *testing.B, k Kind) {
			t := k.Open(ms)
			var fired tally
			var over atomic.Bool
			var done sync.WaitGroup
			all := make([]*callsOfOne, runtime.GOMAXPROCS(0))
			for i := range all {
				all[i] = newCallsOfOne(t, timeouts == "reused", &fired)
			}
			settle(ms, 0)
			start := time.Now()
			for _, c := range all {
				done.Go(func() { c.run(&over) })
			}
			time.Sleep(span(4 * time.Second))
			over.Store(true)
			done.Wait()
			wall := time.Since(start)
			batches, took := 0, []float64{}
			for _, c := range all {
				c.flight.landAll()
				batches += c.batches
				took = append(took, c.took...)
			}
			fired.wait(b, k, batches)
			b.ReportMetric(float64(batches*(callsInBatch+1))/wall.Seconds(), "calls/s")
			quantiles(b, "arming", "ns", took, 50, 99, 99.9, 100)
			once(b)
		})
	}
}

// callsOfOne makes the calls of one goroutine.
type callsOfOne struct {
	timer   Timer
	arm     func(d time.Duration) Armed
	flight  *flight
	fired   *tally
	batches int
	took    []float64 // ns that arming took
}

func newCallsOfOne(t Timer, reuse bool, fired *tally) *callsOfOne {
	const most = 100_000 // calls in flight
	c := &callsOfOne{timer: t, fired: fired, took: make([]float64, 0, 1<<19)}
	c.arm = func(d time.Duration) Armed { return t.AfterFunc(d, nop) }
	stop := func(to Armed) { to.Stop() }
	if reuse {
		var free []Owned
		stop = func(to Armed) {
			to.Stop()
			free = append(free, to.(Owned))
		}
		c.arm = func(d time.Duration) Armed {
			var own Owned
			if last := len(free) - 1; last >= 0 {
				own, free = free[last], free[:last]
			} else {
				own = t.(Owner).New(nop)
			}
			own.Reset(d)
			return own
		}
	}
	c.flight = newFlight(most, new(gauge), stop)
	return c
}

func (c *callsOfOne) run(over *atomic.Bool) {
	for ; !over.Load(); c.batches++ {
		c.timer.AfterFunc(expireAfter, c.fired.task(c.batches, expireAfter))
		measured := rand.IntN(callsInBatch) // a call at a fixed place, next to a clock read, is not typical
		for i := range callsInBatch {
			if i != measured {
				c.flight.add(c.arm(deadline))
				continue
			}
			start := time.Now()
			to := c.arm(deadline)
			c.took = append(c.took, float64(time.Since(start)))
			c.flight.add(to)
		}
	}
}
