package loads

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var memory = Load{
	Name: "memory",
	What: "Pending: the heap that a timeout takes, the pointer to it and the function not counted; and what is left on the heap " +
		"two seconds after all were stopped. Stays: a part of those pending is stopped, each of which holds on to 1 KiB; how much of that is " +
		"still there two seconds and two collections later, while the others go on waiting. (Package time lets go of stopped " +
		"timers once they are a quarter of its heap: up to a third of what is pending may stay, with all it holds.)",
	Cases: func(c Config) []Case {
		return []Case{
			{Name: numbers.Short(c.Many) + " pending, then stopped", Tick: armTick, Run: weigh},
			{Name: numbers.Short(c.Stays) + " of 1 KiB each stopped, of " + numbers.Short(c.StaysOf), Tick: armTick, Run: stays},
		}
	},
}

func weigh(p peers.Peer, c Config) ([]Figure, error) {
	n := c.Many
	t := p.Open(armTick)
	arm := peers.ArmNever(t)
	all := make([]peers.Armed, n)
	settle(armTick, 0)
	before := heap()
	for i := range all {
		all[i] = arm(far(i))
	}
	settle(armTick, n)
	if err := lost(t, n); err != nil {
		return nil, err
	}
	each := (heap() - before) / float64(n)
	for i := range all {
		all[i].Stop()
		all[i] = nil
	}
	left := leftAfterStop(before)
	runtime.KeepAlive(all)
	return []Figure{
		{Name: "a timeout", Unit: Bytes, Value: each},
		{Name: "2 s after stopping", Unit: MiB, Value: left},
	}, nil
}

// leftAfterStop returns by how many MiB the heap exceeds what it was, two seconds
// and two collections from now.
func leftAfterStop(before float64) float64 {
	time.Sleep(2 * time.Second)
	runtime.GC()
	runtime.GC()
	return max(0, heap()-before) / (1 << 20)
}

// stays stops timeouts that were armed among others, on the same processors, and
// counts what they hold on to that the collector has not found to be garbage.
func stays(p peers.Peer, c Config) ([]Figure, error) {
	t := p.Open(armTick)
	var freed atomic.Int64
	var stopped, others []peers.Armed
	for i := range c.StaysOf {
		if i*c.Stays/c.StaysOf == (i+1)*c.Stays/c.StaysOf {
			others = append(others, t.Arm(far(i), func() {}))
			continue
		}
		held := new([1024]byte)
		runtime.AddCleanup(held, func(int) { freed.Add(1) }, 0)
		stopped = append(stopped, t.Arm(far(i), func() { runtime.KeepAlive(held) }))
	}
	settle(armTick, c.StaysOf)
	for i, to := range stopped {
		to.Stop()
		stopped[i] = nil
	}
	leftAfterStop(0)
	time.Sleep(100 * time.Millisecond) // for the cleanups
	runtime.KeepAlive(others)
	left := float64(c.Stays-int(freed.Load())) / 1024
	return []Figure{{Name: "held by the stopped", Unit: MiB, Value: left}}, lost(t, c.StaysOf)
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
		tick := time.NewTicker(2 * time.Millisecond)
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
