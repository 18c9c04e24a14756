package loads

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// Mine is a user's load: see cmd/gain.
type Mine struct {
	Pending int           // idle timeouts
	Moves   int           // moves of idle timeouts, a second
	Arms    int           // deadlines armed a second, stopped 5 ms later ...
	Expire  float64       // ... except this part of them, which expires after a second
	Tick    time.Duration // of the wheel
	For     time.Duration
}

var steady = Load{
	Name: "steady",
	What: "The same rate of calls for all peers: so many deadlines a second, 99 in a hundred of 30 s that are stopped 5 ms later, and one of 1 s " +
		"that expires. CPU of the whole process, including the load itself, how much the heap grows at most, and how late timeouts run.",
	Cases: func(c Config) (cases []Case) {
		for _, n := range []int{c.Count(100_000), c.Count(1_000_000)} {
			cases = append(cases, Mine{Arms: n, Expire: 0.01, Tick: rpcTick, For: c.Time(3 * time.Second)}.named(numbers.Short(n)+" deadlines a second"))
		}
		return cases
	},
}

var mixed = Load{
	Name: "mixed",
	What: "A server with connections whose idle timeouts move at each read, and calls with deadlines as in the load steady. The peak heap includes the pending timeouts.",
	Cases: func(c Config) []Case {
		n := c.Count(100_000)
		return []Case{Mine{Pending: n, Moves: n, Arms: n, Expire: 0.01, Tick: rpcTick, For: c.Time(3 * time.Second)}.named(
			numbers.Short(n) + " connections, reads and calls a second")}
	},
}

func (m Mine) named(name string) Case {
	return Case{Name: name, Tick: m.Tick, Run: func(p peers.Peer, _ Config) ([]Figure, error) { return m.Run(p) }}
}

// Nothing is a peer without a timer: its cost is that of the load itself.
var Nothing = peers.Peer{Name: "nothing", Owns: true, Open: func(time.Duration) peers.Timer { return idleness{} }}

type idleness struct{}

func (idleness) Arm(time.Duration, func()) peers.Armed { return idleness{} }
func (idleness) Own(func()) peers.Owned                { return idleness{} }
func (idleness) Reset(time.Duration) bool              { return true }
func (idleness) Stop() bool                            { return true }
func (idleness) Close()                                {}

// Run measures p. The figures are CPU, peak heap with the pending timeouts, and
// lateness: of the timeouts that expire and of a heartbeat of 10 ms.
func (m Mine) Run(p peers.Peer) ([]Figure, error) {
	t := p.Open(m.Tick)
	runtime.GC()
	peak := watchHeap(0)
	conns := own(p, t, m.Tick, m.Pending, func() {})
	calls := newPacedCalls(t, m.Arms)
	calls.expire = 0
	if m.Expire > 0 {
		calls.expire = max(1, int(1/m.Expire+0.5))
	}
	var mu sync.Mutex
	late := newSample(100_000)
	calls.onFire = func(due time.Time) {
		by := time.Since(due)
		mu.Lock()
		defer mu.Unlock()
		late.add(float64(by) / 1e6)
	}
	beats := startBeats(t, 10*ms)
	moved, cpu := 0, machine.CPUTime()
	took := pace(m.For, func(ms int) {
		calls.step(ms)
		for ; moved < dueBy(m.Moves, ms) && len(conns) > 0; moved++ {
			conns[rand.IntN(len(conns))].Reset(3 * time.Hour)
		}
	})
	share := 100 * float64(machine.CPUTime()-cpu) / float64(took)
	mark := behind(took, m.For, m.Arms+m.Moves)
	figures := []Figure{
		{Name: "CPU", Unit: OfCore, Value: share, Mark: mark},
		{Name: "peak heap", Unit: MiB, Value: peak.end(), Mark: mark},
	}
	beating := beats.end()
	if p.Name == Nothing.Name {
		return figures, nil
	}
	err := calls.end(patience(p, m.Tick))
	mu.Lock()
	defer mu.Unlock()
	runtime.KeepAlive(conns)
	return append(figures, quantiles("late ", Millis, append(late.values, beating...), "p50", "p99", "max")...), err
}
