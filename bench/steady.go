package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchfmt"
)

// Steady is a load at fixed rates: a server whose connections have idle timeouts that each read moves later, and which
// makes calls with deadlines. All rates are operations a second.
type Steady struct {
	Pending int           // idle timeouts
	Moves   int           // moves of idle timeouts
	Arms    int           // deadlines of 30 s armed, which are stopped 5 ms later ...
	Expire  float64       // ... except this part, which is of 1 s and expires
	Tick    time.Duration // of the wheel
	For     time.Duration
}

// The units of the figures.
const (
	CPU       = "cpu-%"        // of one processor, for the process, which includes the load itself
	TimersCPU = "timers-cpu-%" // without the load itself
	Peak      = "peak-MiB"     // how far the heap grows
	LateP50   = "late-p50-ms"
	LateP99   = "late-p99-ms" // of the deadlines that expire, and of a heartbeat
	LateMost  = "late-max-ms"
)

const (
	deadline    = 30 * time.Second
	answerAfter = 5 * time.Millisecond
	expireAfter = time.Second
	outOfStep   = 9731 * time.Microsecond // period of the heartbeat: each beat at another point within a tick
)

// Run returns the figures of a timer. It leaves the idle timeouts pending.
func (s Steady) Run(k Kind) ([]benchfmt.Value, error) {
	t := k.Open(s.Tick)
	runtime.GC()
	peak := watchHeap(0)
	conns := make([]Owned, s.Pending)
	for i := range conns {
		conns[i] = t.(Owner).New(nop)
		conns[i].Reset(time.Hour + time.Duration(i)*time.Hour/time.Duration(s.Pending))
	}
	calls := pacedCalls{timer: t}
	if s.Expire > 0 {
		calls.oneIn = max(1, int(1/s.Expire+0.5))
	}
	beats := startBeats(t, outOfStep)
	moved, cpu := 0, CPUTime()
	took := eachMillisecond(s.For, func(ms int) {
		calls.round(ms, dueBy(s.Arms, ms))
		for ; moved < dueBy(s.Moves, ms) && len(conns) > 0; moved++ {
			conns[rand.IntN(len(conns))].Reset(3 * time.Hour)
		}
	})
	share := 100 * float64(CPUTime()-cpu) / float64(took)
	grown, beating := peak.end(), beats.end()
	late, err := calls.end()
	runtime.KeepAlive(conns)
	if err != nil {
		return nil, err
	}
	if took > s.For+max(s.For/20, 50*time.Millisecond) {
		done := float64(s.Arms+s.Moves) * s.For.Seconds() / took.Seconds()
		return nil, fmt.Errorf("too slow, the timer or the machine: %.0f operations a second", done)
	}
	lateness := stats.Sample{Xs: append(late, beating...)}
	lateness.Sort()
	return []benchfmt.Value{
		{Value: share, Unit: CPU},
		{Value: grown, Unit: Peak},
		{Value: lateness.Quantile(0.5), Unit: LateP50},
		{Value: lateness.Quantile(0.99), Unit: LateP99},
		{Value: lateness.Quantile(1), Unit: LateMost},
	}, nil
}

// RunBeyondLoad is Run, with the CPU time that the timer takes beyond the load's own as the last figure. The load runs
// for half of the time without a timer first.
func (s Steady) RunBeyondLoad(k Kind) ([]benchfmt.Value, error) {
	own := s
	own.For, own.Expire = s.For/2, 0
	ofLoad, err := own.Run(Kind{Open: func(time.Duration) Timer { return nothing{} }})
	if err != nil {
		return nil, err
	}
	figures, err := s.Run(k)
	if err != nil {
		return nil, err
	}
	return append(figures, benchfmt.Value{Value: figures[0].Value - ofLoad[0].Value, Unit: TimersCPU}), nil
}

// nothing is a Timer that does nothing.
type nothing struct{}

func (nothing) AfterFunc(time.Duration, func()) Armed { return nothing{} }
func (nothing) New(func()) Owned                      { return nothing{} }
func (nothing) Reset(time.Duration) bool              { return true }
func (nothing) Stop() bool                            { return true }
func (nothing) Close()                                {}

// eachMillisecond calls f with the number of each millisecond, and returns how long that took. A late call follows at
// once: the grid does not wait.
func eachMillisecond(d time.Duration, f func(ms int)) (took time.Duration) {
	start := time.Now()
	for ms := range int(d / time.Millisecond) {
		time.Sleep(time.Until(start.Add(time.Duration(ms) * time.Millisecond)))
		f(ms)
	}
	return time.Since(start)
}

// dueBy returns how many operations a rate makes by the end of a millisecond.
func dueBy(rate, ms int) int { return rate * (ms + 1) / 1000 }

// pacedCalls are deadlines. Most are stopped 5 ms later; one in so many expires.
type pacedCalls struct {
	timer    Timer
	oneIn    int                                       // 0: none expires
	flying   [answerAfter/time.Millisecond + 1][]Armed // by the millisecond in which they were armed
	armed    int
	expiring int

	mu   sync.Mutex
	late []float64 // ms, of those that expired; guarded by mu
}

// round arms so many deadlines in all by the end of a millisecond, and stops those of some milliseconds ago.
func (c *pacedCalls) round(ms, armed int) {
	slot := &c.flying[ms%len(c.flying)]
	c.stop(slot)
	for ; c.armed < armed; c.armed++ {
		if c.oneIn == 0 || (c.armed+1)%c.oneIn > 0 {
			*slot = append(*slot, c.timer.AfterFunc(deadline, nop))
			continue
		}
		c.expiring++
		due := time.Now().Add(expireAfter)
		c.timer.AfterFunc(expireAfter, func() {
			late := float64(time.Since(due)) / 1e6
			c.mu.Lock()
			defer c.mu.Unlock()
			c.late = append(c.late, late)
		})
	}
}

func (c *pacedCalls) stop(slot *[]Armed) {
	for i, to := range *slot {
		to.Stop()
		(*slot)[i] = nil
	}
	*slot = (*slot)[:0]
}

// end stops the calls in flight, waits until the others have expired, and returns how many ms late they were.
func (c *pacedCalls) end() ([]float64, error) {
	for i := range c.flying {
		c.stop(&c.flying[i])
	}
	for range 800 {
		time.Sleep(10 * time.Millisecond)
		c.mu.Lock()
		n := len(c.late)
		c.mu.Unlock()
		if n == c.expiring {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.late) != c.expiring {
		return nil, fmt.Errorf("%d deadlines expired, of %d", len(c.late), c.expiring)
	}
	return c.late, nil
}
