package loads

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var memory = Load{
	Name: "memory",
	What: "Pending: the heap memory of a timeout, without the pointer to it and its function; and how much of the heap is left " +
		"two seconds after all were stopped. Of 1 KiB each: a part of the pending timeouts is stopped, each of which holds 1 KiB; how much of that is " +
		"still held two seconds and two collections later, while the others stay pending. (Package time drops stopped " +
		"timers once they are a quarter of its heap, so as many as a third of the pending ones may stay, with all they hold.)",
	Cases: func(c Config) []Case {
		return []Case{
			{Name: numbers.Short(c.Count(1_000_000)) + " pending, then stopped", Tick: armTick, Run: weigh},
			{Name: numbers.Short(c.Count(45_000)) + " of 1 KiB each stopped, of " + numbers.Short(c.Count(200_000)), Tick: armTick, Run: stays},
		}
	},
}

func weigh(p peers.Peer, c Config) ([]Figure, error) {
	n := c.Count(1_000_000)
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

// leftAfterStop returns by how many MiB the heap exceeds its size before, two
// seconds and two collections from now.
func leftAfterStop(before float64) float64 {
	time.Sleep(2 * time.Second)
	runtime.GC()
	runtime.GC()
	return max(0, heap()-before) / mib
}

// stays stops timeouts that were armed among others, on the same processors, and
// counts how much of the memory they hold was not collected.
func stays(p peers.Peer, c Config) ([]Figure, error) {
	n, of := c.Count(45_000), c.Count(200_000)
	t := p.Open(armTick)
	var freed atomic.Int64
	var stopped, others []peers.Armed
	for i := range of {
		if i*n/of == (i+1)*n/of {
			others = append(others, t.Arm(far(i), func() {}))
			continue
		}
		held := new([1024]byte)
		runtime.AddCleanup(held, func(int) { freed.Add(1) }, 0)
		stopped = append(stopped, t.Arm(far(i), func() { runtime.KeepAlive(held) }))
	}
	settle(armTick, of)
	for i, to := range stopped {
		to.Stop()
		stopped[i] = nil
	}
	leftAfterStop(0)
	time.Sleep(100 * time.Millisecond) // for the cleanups
	runtime.KeepAlive(others)
	left := float64(n-int(freed.Load())) / 1024
	return []Figure{{Name: "held by the stopped", Unit: MiB, Value: left}}, lost(t, of)
}
