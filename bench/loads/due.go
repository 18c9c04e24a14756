package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var due = Load{
	Name: "due",
	What: "How long it takes to arm a timeout while very many others are due in one tick: the time of every arming " +
		"from that tick until the last of them has run, from one goroutine that stops what it has armed at once.",
	Cases: func(c Config) []Case {
		return []Case{{Name: count(c.Due) + " due in one tick", Tick: rpcTick, Run: armWhileDue}}
	},
}

func armWhileDue(p peers.Peer, c Config) ([]Figure, error) {
	var fired tally
	fire := fired.fire
	t := p.Open(rpcTick)
	at := time.Now().Add(time.Second + time.Duration(c.Due)*3*time.Microsecond)
	for i := range c.Due {
		if i%checkEvery == 0 {
			d := time.Until(at)
			t.Arm(d, fired.checkedFire(d))
		} else {
			t.Arm(time.Until(at), fire)
		}
	}
	if err := lost(t, c.Due); err != nil {
		return nil, err
	}
	runtime.GC()
	time.Sleep(time.Until(at) - rpcTick)
	took, armed := armUntil(t, &fired, c.Due, patience(p, rpcTick))
	if err := fired.fault(c.Due); err != nil {
		return nil, err
	}
	figures := append(percentiles("arming ", Micros, took), Figure{
		Name: "armings", Unit: "in that time", Value: float64(len(took)), Mark: fired.mark(),
	})
	return figures, lost(t, c.Due+armed)
}

// armUntil arms and stops timeouts until so many others have fired, or none has
// for so long. It returns the µs that each arming took from the first firing on,
// and the slowest one before, which may have waited for a lock.
func armUntil(t peers.Timer, fired *tally, due int, patience time.Duration) (took []float64, armed int) {
	arm := peers.ArmNever(t)
	took = make([]float64, 0, 1e6)
	seen, moved := int64(0), time.Now()
	for {
		start := time.Now()
		to := arm(deadline)
		end := time.Now()
		armed++
		to.Stop()
		n := fired.fired.Load()
		us := end.Sub(start).Seconds() * 1e6
		if n == 0 && len(took) > 0 {
			took[0] = max(took[0], us)
		} else {
			took = append(took, us)
		}
		if n >= int64(due) || end.Sub(moved) > patience {
			return took, armed
		}
		if n > seen {
			seen, moved = n, end
		}
	}
}
