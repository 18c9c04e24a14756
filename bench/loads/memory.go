package loads

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var memory = Load{
	Name: "memory",
	What: "Pending: the heap that a timeout takes, the pointer to it and the function not counted, and what the " +
		"collector spends on one pass over all of them. Stopped: what is left of them on the heap two seconds " +
		"later. Storm: how much the heap grows at most while all CPUs arm timeouts of 30 s and stop them at once.",
	Cases: func(c Config) []Case {
		return []Case{
			{Name: count(c.Many) + " pending, then stopped", Tick: armTick, Run: weigh},
			{Name: "arm and stop for " + c.Heap.String(), Tick: armTick, Run: storm},
		}
	},
}

func weigh(p peers.Peer, c Config) ([]Figure, error) {
	n := c.Many
	t := p.Open(armTick)
	arm := peers.ArmNever(t)
	all := make([]peers.Armed, n)
	settle(armTick, 0)
	before, collect := heap(), collection()
	for i := range all {
		all[i] = arm(far(i))
	}
	settle(armTick, n)
	if err := lost(t, n); err != nil {
		return nil, err
	}
	each := (heap() - before) / float64(n)
	collect = collection() - collect
	for i := range all {
		all[i].Stop()
		all[i] = nil
	}
	time.Sleep(2 * time.Second)
	runtime.GC()
	runtime.GC()
	left := (heap() - before) / (1 << 20)
	runtime.KeepAlive(all)
	return []Figure{
		{Name: "a timeout", Unit: Bytes, Value: each},
		cpuFigure("a collection", Millis, max(0, collect.Seconds()*1e3)),
		{Name: "2 s after stopping", Unit: MiB, Value: max(0, left)},
	}, nil
}

// collection returns the CPU time of a collection, the median of five.
func collection() time.Duration {
	var took []float64
	for range 5 {
		before := cpuTime()
		runtime.GC()
		took = append(took, float64(cpuTime()-before))
	}
	return time.Duration(quantile(0.5, took))
}

func storm(p peers.Peer, c Config) ([]Figure, error) {
	t := p.Open(armTick)
	settle(armTick, 0)
	arm := peers.ArmNever(t)
	peak := watchHeap()
	s := rate(c.Heap, runtime.GOMAXPROCS(0), func(int) func(int) {
		return func(n int) {
			for range n {
				arm(deadline).Stop()
			}
		}
	})
	return []Figure{
		{Name: "arm and stop", Unit: PerOp, Value: s.wall},
		{Name: "peak heap", Unit: MiB, Value: peak()},
	}, lost(t, s.ops)
}

// heap returns the bytes of the heap's objects, dead ones not yet swept included.
func heap() float64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}

// watchHeap returns a function that ends the watch and returns by how many MiB
// the heap had grown at most.
func watchHeap() (peak func() float64) {
	before, most := heap(), 0.0
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(5 * time.Millisecond)
		for {
			most = max(most, heap()-before)
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() float64 {
		close(quit)
		<-done
		return most / (1 << 20)
	}
}
