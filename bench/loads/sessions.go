package loads

import (
	"fmt"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// plan is a crowd of sessions, due evenly within window, which begins after lead.
type plan struct {
	n            int
	window, lead time.Duration
	tick         time.Duration
	wheel        int
}

var plans = []plan{
	{1e6, time.Second, 20 * time.Second, ms, 512},
	{1e6, time.Second, 20 * time.Second, ms, 64},
	{1e6, time.Second, 20 * time.Second, ms, 1},
	{5e6, time.Minute, 20 * time.Second, ms, 512},
	{5e6, time.Minute, 20 * time.Second, ms, 64},
	{5e6, time.Minute, 20 * time.Second, ms, 1},
	{1e6, time.Second, 70 * time.Second, ms, 64}, // three rings away
	{1e6, time.Second, 70 * time.Second, ms, 1},
	{1e6, time.Second, 70 * time.Second, ms / 10, 512},
}

var sessions = Load{
	Name: "sessions",
	Flat: true,
	What: "Very many timeouts in shuffled memory, due evenly within a window: how late each runs. Our tasks run Inline, " +
		"those of package time in goroutines; ours are up to a tick late by design. Beside: a heartbeat of 1 ms by package time in the same process, which shows " +
		"how late the machine itself wakes a waiting goroutine.",
	Cases: func(c Config) (cases []Case) {
		for _, p := range plans {
			p.n, p.window, p.lead = c.Count(p.n), c.Time(p.window), c.Time(p.lead)
			cases = append(cases, Case{
				Name: fmt.Sprintf("%s within %v after %v, tick %v, wheel %d", numbers.Short(p.n), p.window, p.lead, p.tick, p.wheel),
				Tick: p.tick, Only: inlinePeers,
				Ours: p.wheel != 512 || p.tick != ms, // package time has no wheel
				Run:  func(who peers.Peer, _ Config) ([]Figure, error) { return p.run(who) },
			})
		}
		return cases
	},
}

func (p plan) run(who peers.Peer) ([]Figure, error) {
	open := who.Open
	if who.Wheel != nil {
		open = func(tick time.Duration) peers.Timer { return who.Wheel(tick, hashedwheel.WithWheelSize(p.wheel)) }
	}
	c, all := gather(open(p.tick), p.n)
	c.start = time.Now()
	armEvenly(all, p.lead, p.window)
	took := c.now()
	runtime.GC()
	c.sleepUntil(p.lead)
	beside := startStdBeats(ms)
	if err := c.wait(); err != nil {
		return nil, err
	}
	figures := append(c.figures("late "), quantiles("beside late ", Millis, beside.end(), "p99", "max")...)
	if took > p.lead {
		figures[0].Mark = tooLate
	}
	runtime.KeepAlive(all)
	return append(figures, Figure{Name: "arming took", Unit: Seconds, Value: took.Seconds()}), nil
}

// tooLate marks a machine that arms the timeouts too slowly.
const tooLate = Bears + "no such load: some were armed after they were due"
