package loads

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var late = Load{
	Name: "late",
	What: "How late a timeout of some milliseconds fires, at a tick of 1 ms: with nothing else running, and with " +
		"one goroutine for each CPU that arms and stops on the same timer as fast as it can.",
	Cases: func(Config) []Case {
		return []Case{
			{Name: "unloaded", Tick: ms, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return lateness(p, c, 0)
			}},
			{Name: "beside busy producers", Tick: ms, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return lateness(p, c, runtime.GOMAXPROCS(0))
			}},
		}
	},
}

func lateness(p peers.Peer, c Config, producers int) ([]Figure, error) {
	n := c.Count(2000)
	t := p.Open(ms)
	var stop atomic.Bool
	var armed atomic.Int64
	var done sync.WaitGroup
	for range producers {
		done.Go(func() { produce(t, &armed, &stop) })
	}
	late, fired := sampleLateness(t, n, patience(p, ms))
	stop.Store(true)
	done.Wait()
	if err := fired.fault(n); err != nil {
		return nil, err
	}
	figures := quantiles("", Millis, late, "p50", "p99", "p99.9", "max")
	least := unlessMarked(Figure{Name: "min", Unit: Millis, Value: late[0], Mark: earlyOnes(late)})
	return append([]Figure{least}, figures...), lost(t, n+int(armed.Load()))
}

func produce(t peers.Timer, armed *atomic.Int64, stop *atomic.Bool) {
	run := armer(t)
	for !stop.Load() {
		run(batch)
		armed.Add(batch)
	}
}

// sampleLateness arms n timeouts, one after another and out of step with the
// tick, and returns how many ms late each fired.
func sampleLateness(t peers.Timer, n int, patience time.Duration) (late []float64, fired *tally) {
	fired = new(tally)
	late = make([]float64, n)
	for i := range n {
		d := 5*ms + time.Duration(i%7)*777*time.Microsecond
		due := time.Now().Add(d)
		t.Arm(d, func() {
			late[i] = time.Since(due).Seconds() * 1e3
			fired.fire()
		})
		time.Sleep(1300 * time.Microsecond)
	}
	fired.wait(n, patience)
	return late, fired
}
