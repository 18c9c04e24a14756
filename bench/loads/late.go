package loads

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var late = Load{
	Name: "late",
	What: "How late a timeout of some milliseconds fires, at a tick of 1 ms: with nothing else running, and beside " +
		"one goroutine a CPU that arms and stops on the same timer as fast as it can.",
	Cases: func(Config) []Case {
		return []Case{
			{Name: "unloaded", Tick: time.Millisecond, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return lateness(p, c, 0)
			}},
			{Name: "beside busy producers", Tick: time.Millisecond, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return lateness(p, c, runtime.GOMAXPROCS(0))
			}},
		}
	},
}

func lateness(p peers.Peer, c Config, producers int) ([]Figure, error) {
	t := p.Open(time.Millisecond)
	var stop atomic.Bool
	var armed atomic.Int64
	var done sync.WaitGroup
	for range producers {
		done.Go(func() { produce(t, &armed, &stop) })
	}
	ms, fired := sampleLateness(t, c.Late, patience(p, time.Millisecond))
	stop.Store(true)
	done.Wait()
	if err := fired.fault(c.Late); err != nil {
		return nil, err
	}
	figures := percentiles("", Millis, ms)
	slices.Sort(ms)
	least := Figure{Name: "min", Unit: Millis, Value: ms[0]}
	if n, _ := slices.BinarySearch(ms, 0); n > 0 {
		least.Mark = early(time.Duration(-ms[0]*1e6), n, len(ms))
		least = unlessMarked(least)
	}
	return append([]Figure{least}, figures...), lost(t, c.Late+int(armed.Load()))
}

func produce(t peers.Timer, armed *atomic.Int64, stop *atomic.Bool) {
	arm := peers.ArmNever(t)
	for !stop.Load() {
		for range batch {
			arm(deadline).Stop()
		}
		armed.Add(batch)
	}
}

// sampleLateness arms n timeouts, one after another, at moments that have
// nothing to do with the tick, and returns how many ms late each fired.
func sampleLateness(t peers.Timer, n int, patience time.Duration) (ms []float64, fired *tally) {
	fired = new(tally)
	ms = make([]float64, n)
	for i := range n {
		d := 5*time.Millisecond + time.Duration(i%7)*777*time.Microsecond
		due := time.Now().Add(d)
		t.Arm(d, func() {
			ms[i] = time.Since(due).Seconds() * 1e3
			fired.fire()
		})
		time.Sleep(1300 * time.Microsecond)
	}
	fired.wait(n, patience)
	return ms, fired
}
