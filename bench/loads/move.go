package loads

import (
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var move = Load{
	Name: "move",
	What: "Later: move a random one of very many idle timeouts by an hour, as each read of a connection does; " +
		"each goroutine has its own connections. Each timeout is reached through an interface: two cache misses for every peer, where a timeout that " +
		"is part of its connection costs one (go test -bench MoveLater). SetReadDeadline needs a connection for each timeout, so all peers are " +
		"also measured with as many timeouts as the process may have connections. The work that a timer puts off until the old deadline is not counted. " +
		"Earlier: move all of them to a second or two from now, as at a shutdown, and let them expire. CPU counts until the timer has filed them; the expiring does not count.",
	Cases: func(c Config) []Case {
		return []Case{
			{Name: "one of " + numbers.Short(c.Count(1_000_000)) + " later", Tick: armTick, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return moveLater(p, c, c.Count(1_000_000))
			}},
			{Name: "one of " + numbers.Grouped(connections(c)) + " later, as connections", Tick: armTick, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return moveLater(p, c, connections(c))
			}},
			{Name: numbers.Short(c.Count(160_000)) + " earlier", Tick: stormTick, Run: moveEarlier},
		}
	},
}

// connections is as many timeouts as SetReadDeadline can have.
func connections(c Config) int { return min(c.Count(1_000_000), peers.Connections()) }

func moveLater(p peers.Peer, c Config, n int) ([]Figure, error) {
	t := p.Open(armTick)
	all := own(p, t, armTick, n, func() {})
	if err := lost(t, len(all)); err != nil {
		return nil, err
	}
	figures, ops := byGoroutines(c, func(i, of int) func(int) { return mover(p, share(all, i, of)) })
	for i := range figures {
		figures[i].Mark = ofFewer(all, n)
	}
	return figures, lost(t, len(all)+ops)
}

// share returns the part of the i-th of n goroutines: at least one, which some may have to share.
func share[T any](all []T, i, n int) []T {
	from := i * len(all) / n
	return all[from:max(from+1, (i+1)*len(all)/n)]
}

// own returns n owned timeouts that are far from due, or as many as p can own.
func own(p peers.Peer, t peers.Timer, tick time.Duration, n int, f func()) []peers.Owned {
	if p.Most > 0 {
		n = min(n, p.Most)
	}
	all := make([]peers.Owned, n)
	for i := range all {
		all[i] = peers.Own(t, f)
		all[i].Reset(far(i))
	}
	settle(tick, n)
	return all
}

// ofFewer marks the figures of a peer that cannot own n timeouts.
func ofFewer(all []peers.Owned, n int) string {
	if len(all) == n {
		return ""
	}
	return "of " + numbers.Short(len(all))
}

func mover(p peers.Peer, mine []peers.Owned) func(n int) {
	random := rand.New(rand.NewPCG(1, 2))
	if p.At {
		at := make([]peers.OwnedAt, len(mine))
		for i := range mine {
			at[i] = mine[i].(peers.OwnedAt)
		}
		return func(n int) {
			later := time.Now().Add(3 * time.Hour) // as in an event loop, once a round
			for range n {
				at[random.IntN(len(at))].ResetAt(later)
			}
		}
	}
	return func(n int) {
		for range n {
			mine[random.IntN(len(mine))].Reset(3 * time.Hour)
		}
	}
}

func moveEarlier(p peers.Peer, c Config) ([]Figure, error) {
	const filed = 300 * ms // so long after the last move all are
	asked := c.Count(160_000)
	soon := time.Second + time.Duration(asked)*6*time.Microsecond
	var fired tally
	t := p.Open(stormTick)
	all := own(p, t, stormTick, asked, fired.fire)
	n := len(all)
	if err := lost(t, n); err != nil {
		return nil, err
	}
	cpu, start := machine.CPUTime(), time.Now()
	reset(p, all, soon)
	wall := time.Since(start)
	time.Sleep(filed)
	cpu = machine.CPUTime() - cpu
	fired.wait(n, soon+patience(p, stormTick))
	late := time.Since(start) - soon
	if err := fired.fault(n); err != nil {
		return nil, err
	}
	last := Figure{Name: "the last one late by", Unit: Millis, Value: late.Seconds() * 1e3}
	if late < 0 {
		last.Mark = early(-late, n, n)
	}
	return []Figure{
		{Name: "wall", Unit: Each, Value: float64(wall) / float64(n), Mark: ofFewer(all, asked)},
		cpuFigure("CPU", Each, float64(cpu)/float64(n)),
		unlessMarked(last),
	}, lost(t, 2*n)
}

func reset(p peers.Peer, all []peers.Owned, d time.Duration) {
	if !p.At {
		for _, o := range all {
			o.Reset(d)
		}
		return
	}
	at := time.Now().Add(d)
	for _, o := range all {
		o.(peers.OwnedAt).ResetAt(at)
	}
}
