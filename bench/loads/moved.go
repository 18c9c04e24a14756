package loads

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var moved = Load{
	Name: "moved",
	Flat: true,
	What: "Idle timeouts in shuffled memory that were all armed for one tick of 10 ms, and all moved later before that tick. " +
		"How late other timeouts are: single timeouts that are due around that tick, and a heartbeat of 10 ms.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Count(1_000_000)) + " moved later", Tick: 10 * ms, Only: inlinePeers, Run: besideMoved}}
	},
}

func besideMoved(p peers.Peer, c Config) ([]Figure, error) {
	lead := c.Time(10 * time.Second)
	around := min(500*ms, lead/2)
	t := p.Open(10 * ms)
	idle, all := gather(t, c.Count(1_000_000))
	singles, others := gather(t, c.Count(10_000))
	idle.start = time.Now()
	singles.start = idle.start
	armEvenly(others, lead-around, 2*around)
	armEvenly(all, lead, 0)
	time.Sleep(50 * ms) // until the wheel has filed them
	armEvenly(all, lead+10*time.Minute, 10*time.Minute)
	took := idle.now()
	runtime.GC()

	idle.sleepUntil(lead - around)
	beat := startBeats(t, 10*ms)
	if err := singles.wait(); err != nil {
		return nil, err
	}
	idle.sleepUntil(lead + around)
	figures := append(singles.figures("singles late "), quantiles("heartbeat late ", Millis, beat.end(), "p50", "p99", "max")...)
	if n := idle.ran.Load(); took > lead-around {
		figures[0].Mark = tooLate
	} else if n > 0 {
		return nil, Fault(numbers.Grouped(int(n)) + " ran although they were moved")
	}
	runtime.KeepAlive(all)
	return figures, nil
}
