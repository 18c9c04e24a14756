package loads

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var hold = Load{
	Name: "hold",
	Flat: true,
	What: "One goroutine takes the timer's lock again and again (by Next): how long it waits, while timeouts in shuffled memory " +
		"become due, others are armed, stopped and moved, and Stats, Pending and Sample are called. Without the lock: the time that " +
		"the same goroutine took for a microsecond of work, which is the machine's own delay. A wait counts once for each of its microseconds. The collector is off.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Count(10_000_000)) + " pending", Tick: ms, Only: inlinePeers, Ours: true, Run: holdLock}}
	},
}

func holdLock(p peers.Peer, c Config) ([]Figure, error) {
	t := p.Open(ms)
	tm, _ := peers.WheelOf(t)
	crowd, all := gather(t, c.Count(10_000_000))
	crowd.start = time.Now()
	armEvenly(all, c.Time(20*time.Second), time.Minute)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	var over atomic.Bool
	go armAndStop(tm, &over)
	go moveAbout(crowd, all, &over)
	go lookAround(tm, &over)
	var waited, beside stalls
	work := iterations(turn)
	for begun := time.Now(); time.Since(begun) < c.Time(40*time.Second); {
		asked := time.Now()
		tm.Next()
		got := time.Now()
		spin(work)
		waited.add(got.Sub(asked))
		beside.add(time.Since(got))
	}
	over.Store(true)
	return append(append(waited.figures("wait"), beside.figures("without the lock")...),
		Figure{Name: "came due", Unit: "timeouts", Value: float64(crowd.ran.Load())}), nil
}

// turn is the time between two turns at the lock, if nothing stalls the goroutine.
const turn = time.Microsecond

// stalls are waits. A long wait counts for all the turns that it took.
type stalls struct {
	values, weights []float64 // µs
	short           int
}

// add keeps one in 64 of the short waits, which weighs as much as 64.
func (s *stalls) add(d time.Duration) {
	const of = 64
	if d <= turn {
		if s.short++; s.short%of == 0 {
			s.values, s.weights = append(s.values, float64(d)/1e3), append(s.weights, of)
		}
		return
	}
	for ; d > 0; d -= turn {
		s.values, s.weights = append(s.values, float64(d)/1e3), append(s.weights, 1)
	}
}

func (s *stalls) figures(what string) (figures []Figure) {
	stat.SortWeighted(s.values, s.weights)
	for _, q := range []string{"p50", "p99.99", "max"} {
		f := Figure{Name: what + " " + q, Unit: Micros, Value: quantile(q, s.values, s.weights)}
		figures = append(figures, f)
	}
	return figures
}

// The other goroutines work a part of the time: with all processors busy, the load
// would measure the scheduler.
const (
	burst = 1000 // calls
	pause = ms
)

// armAndStop leaves no garbage, since the collector is off.
func armAndStop(tm *hashedwheel.Timer, over *atomic.Bool) {
	var own [burst]hashedwheel.Timeout
	for i := range own {
		own[i].InitFunc(tm, func() {})
	}
	for ; !over.Load(); time.Sleep(pause) {
		for i := range own {
			own[i].Reset(deadline)
			own[i].Stop()
		}
	}
}

// moveAbout moves random members to between two seconds and two minutes from now.
func moveAbout(c *crowd, all []member, over *atomic.Bool) {
	for ; !over.Load(); time.Sleep(pause) {
		now := c.now()
		for range burst {
			all[rand.IntN(len(all))].arm(now + 2*time.Second + rand.N(2*time.Minute))
		}
	}
}

func lookAround(tm *hashedwheel.Timer, over *atomic.Bool) {
	for ; !over.Load(); time.Sleep(10 * ms) {
		tm.Stats()
		tm.Pending()
		tm.Sample(1000)
	}
}

// spin is work that the compiler keeps.
func spin(n int) {
	x := uint64(0)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(&x)
}

// iterations returns how many iterations of spin take so long.
func iterations(d time.Duration) int {
	const n = 1_000_000
	start := time.Now()
	spin(n)
	return int(n * int64(d) / int64(time.Since(start)))
}
