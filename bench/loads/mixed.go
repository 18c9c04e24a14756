package loads

import (
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var mixed = Load{
	Name: "mixed",
	What: "A server of everything: connections whose idle timeout of a minute moves at each read, calls with deadlines, functions that " +
		"run every 100 ms, and delays from 1 ms to a day, evenly on a logarithmic scale, of which those above a second are stopped at the end. " +
		"All at fixed rates: CPU of the process, how much the heap grows, and how late the functions run.",
	Cases: func(c Config) []Case {
		name := numbers.Short(c.Mixed) + " connections, reads and calls a second"
		return []Case{{Name: name, Tick: rpcTick, Run: mix}}
	},
}

const mixedSeries = 100 // functions that run every 100 ms

func mix(p peers.Peer, c Config) ([]Figure, error) {
	t := p.Open(rpcTick)
	conns := own(p, t, rpcTick, c.Mixed, func() {})
	calls := newPacedCalls(t, c.Mixed)
	var series [mixedSeries]*heartbeat
	for i := range series {
		series[i] = startBeats(t, 100*time.Millisecond)
	}
	var far []peers.Armed
	runtime.GC()
	peak, cpu := watchHeap(), cpuTime()
	took := pace(c.MixedFor, func(ms int) {
		calls.step(ms)
		for range c.Mixed / 1000 {
			conns[rand.IntN(len(conns))].Reset(time.Minute)
		}
		if d := logUniform(time.Millisecond, 24*time.Hour); d > time.Second {
			far = append(far, t.Arm(d, func() {}))
		} else {
			t.Arm(d, func() {})
		}
	})
	share := 100 * float64(cpuTime()-cpu) / float64(took)
	figures := []Figure{
		{Name: "CPU", Unit: OfCore, Value: share, Mark: behind(took, c.MixedFor, c.Mixed)},
		{Name: "peak heap", Unit: MiB, Value: peak()},
	}
	var late []float64
	for _, s := range series {
		late = append(late, s.end()...)
	}
	for _, to := range far {
		to.Stop()
	}
	all := percentiles("function late ", Millis, late)
	return append(figures, all[0], all[1], all[3]), calls.end(patience(p, rpcTick))
}

func logUniform(low, high time.Duration) time.Duration {
	return time.Duration(float64(low) * math.Pow(float64(high)/float64(low), rand.Float64()))
}
