package loads

import (
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var move = Load{
	Name: "move",
	What: "Later: move a random one of very many idle timeouts an hour on, as each read of a connection does; " +
		"every goroutine has connections of its own. Each is reached through an interface: two cache misses for every peer, where one that " +
		"is part of its connection costs one (go test -bench MoveLater). SetReadDeadline needs a connection each: all are put to as many as the " +
		"machine has files for, too. What a timer puts off until the old deadline comes is not in this. " +
		"Earlier: move all of them to a second or two from now, as at a shutdown, and let them expire; CPU counts until the timer has taken that in, but not the expiring.",
	Cases: func(c Config) []Case {
		return []Case{
			{Name: "one of " + numbers.Short(c.Many) + " later", Tick: armTick, Run: moveLater},
			{Name: "one of " + numbers.Grouped(c.Conns) + " later, as connections", Tick: armTick, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				c.Many = c.Conns
				return moveLater(p, c)
			}},
			{Name: numbers.Short(c.Storm) + " earlier", Tick: stormTick, Run: moveEarlier},
		}
	},
}

func moveLater(p peers.Peer, c Config) (figures []Figure, err error) {
	t := p.Open(armTick)
	all := own(p, t, armTick, c.Many, func() {})
	if err := lost(t, len(all)); err != nil {
		return nil, err
	}
	armed := len(all)
	for _, g := range goroutineCounts() {
		s := rate(c.Rate, g, func(i int) func(int) { return mover(p, share(all, i, g)) })
		armed += s.ops
		figures = append(figures, Figure{Name: goroutines(g), Unit: PerOp, Value: s.wall, Mark: ofFewer(all, c.Many)})
	}
	return figures, lost(t, armed)
}

// share returns the part of the i-th of n goroutines: one at least, even if some have to share it.
func share[T any](all []T, i, n int) []T {
	from := i * len(all) / n
	return all[from:max(from+1, (i+1)*len(all)/n)]
}

// own returns n timeouts that are far from due, or as many as p can own.
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

// ofFewer marks the figures of a peer that could not own as many as it should.
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
			later := time.Now().Add(3 * time.Hour) // as an event loop, once a round
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

const stormTick = 10 * time.Millisecond

func moveEarlier(p peers.Peer, c Config) ([]Figure, error) {
	const takeIn = 300 * time.Millisecond
	soon := time.Second + time.Duration(c.Storm)*6*time.Microsecond
	var fired tally
	t := p.Open(stormTick)
	all := own(p, t, stormTick, c.Storm, fired.fire)
	if err := lost(t, len(all)); err != nil {
		return nil, err
	}
	cpu, start := cpuTime(), time.Now()
	reset(p, all, soon)
	wall := time.Since(start)
	time.Sleep(takeIn)
	cpu = cpuTime() - cpu
	fired.wait(len(all), soon+patience(p, stormTick))
	late := time.Since(start) - soon
	if err := fired.fault(len(all)); err != nil {
		return nil, err
	}
	n := float64(len(all))
	return []Figure{
		{Name: "wall", Unit: Each, Value: float64(wall) / n, Mark: ofFewer(all, c.Storm)},
		cpuFigure("CPU", Each, float64(cpu)/n),
		lastLate(late, len(all)),
	}, lost(t, 2*len(all))
}

func lastLate(by time.Duration, n int) Figure {
	f := Figure{Name: "the last one late by", Unit: Millis, Value: by.Seconds() * 1e3}
	if by < 0 {
		f.Mark = early(-by, n, n)
	}
	return unlessMarked(f)
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
