package bench

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// BenchmarkSteady arms deadlines at a fixed rate. Of every hundred, 99 have 30 s and are stopped 5 ms later, and one
// has 1 s and expires.
func BenchmarkSteady(b *testing.B) {
	for _, rate := range []int{count(100_000), count(1e6)} {
		each(b, "rate="+short(rate), anyKind, func(b *testing.B, k Kind) {
			steady{arms: rate, expire: 1, tick: ms, length: span(3 * time.Second)}.run(b, k)
			once(b)
		})
	}
}

// own is the load that the flags describe. BenchmarkServer runs it if the flags set a rate.
var own steady

func ownFlags() {
	flag.IntVar(&own.pending, "pending", 100_000, "idle `timeouts` of BenchmarkServer, as of connections")
	flag.IntVar(&own.moves, "move", 0, "`rate` a second at which idle timeouts are moved later, as by reads")
	flag.IntVar(&own.arms, "arm", 0, "`rate` a second at which deadlines are armed, as by calls")
	flag.Float64Var(&own.expire, "expire", 0, "`percent` of the deadlines that expires after a second; the others are "+
		"stopped after 5 ms")
	flag.DurationVar(&own.tick, "tick", ms, "the wheel's tick in BenchmarkServer")
}

// BenchmarkServer is a server whose connections have idle timeouts, which every read moves later, and which makes calls
// with deadlines: two reads and half a call a second for each connection. 1% of the calls time out. timers-cpu is the
// CPU time beyond that of the same load without a timer, which runs first, for half as long.
func BenchmarkServer(b *testing.B) {
	var loads []steady
	for _, n := range []int{count(1000), count(10_000), count(100_000), count(1e6)} {
		loads = append(loads, steady{pending: n, moves: 2 * n, arms: n / 2, expire: 1})
	}
	if own.moves+own.arms > 0 {
		loads = []steady{own}
	}
	for _, s := range loads {
		s.tick, s.length = own.tick, span(4*time.Second)
		each(b, "pending="+short(s.pending), isOneOfTwo, func(b *testing.B, k Kind) {
			load := s
			load.length, load.expire = s.length/2, 0
			ofLoad := load.run(b, Kind{Open: func(time.Duration) Timer { return nothing{} }})
			b.ReportMetric(s.run(b, k)-ofLoad, "timers-cpu-%")
			once(b)
		})
	}
}

// BenchmarkBeside is a small server in a process that also keeps a million time.Timers, as for read deadlines. Each of
// them was moved, as by a read.
func BenchmarkBeside(b *testing.B) {
	others := make([]*time.Timer, count(1e6))
	each(b, "others="+short(len(others)), isOneOfTwo, func(b *testing.B, k Kind) {
		for i := range others {
			others[i] = time.AfterFunc(time.Hour, nop)
			others[i].Reset(2 * time.Hour)
		}
		steady{pending: 1000, moves: 2000, arms: 20_000, expire: 1, tick: ms, length: span(3 * time.Second)}.run(b, k)
		for _, other := range others {
			other.Stop()
		}
		once(b)
	})
}

// steady is a load at fixed rates, in operations a second.
type steady struct {
	pending int           // idle timeouts
	moves   int           // moves of idle timeouts
	arms    int           // armed deadlines of 30 s, which are stopped 5 ms later,
	expire  float64       // except so many percent, which have 1 s and expire
	tick    time.Duration // of the wheel
	length  time.Duration
}

const (
	deadline    = 30 * time.Second
	idleAfter   = 30 * time.Second
	answerAfter = 5 * time.Millisecond
	expireAfter = time.Second
	outOfStep   = 9731 * time.Microsecond // period of the heartbeat: each beat falls at another point within a tick
)

// run reports the metrics of a timer, and returns the CPU time of the process, in percent of one processor. late covers
// the deadlines that expire, and a heartbeat. run leaves the idle timeouts pending. They begin at deadlines spread over
// the idle time, as on a server that has run for a while: so what a wheel puts off until the old deadline of a timeout
// counts.
func (s steady) run(b *testing.B, k Kind) (cpu float64) {
	t := k.Open(s.tick)
	runtime.GC()
	peak := watchHeap(0)
	conns := make([]Owned, s.pending)
	for i := range conns {
		conns[i] = t.(Owner).New(nop)
		conns[i].Reset(idleAfter / time.Duration(s.pending) * time.Duration(i+1))
	}
	calls := pacedCalls{timer: t}
	if s.expire > 0 {
		calls.oneIn = max(1, int(100/s.expire+0.5))
	}
	beats := startBeats(t, outOfStep)
	moved, before := 0, timertest.CPUTime()
	took := eachMillisecond(s.length, func(ms int) {
		calls.round(ms, dueBy(s.arms, ms))
		for ; moved < dueBy(s.moves, ms) && len(conns) > 0; moved++ {
			conns[rand.IntN(len(conns))].Reset(idleAfter)
		}
	})
	cpu = 100 * float64(timertest.CPUTime()-before) / float64(took)
	b.ReportMetric(cpu, "cpu-%")
	b.ReportMetric(peak.end(), "peak-MiB")
	beating := beats.end()
	quantiles(b, "late", "ms", append(calls.end(b), beating...), 50, 99, 100)
	if took > s.length+max(s.length/20, 50*time.Millisecond) {
		done := float64(s.arms+s.moves) * s.length.Seconds() / took.Seconds()
		b.Errorf("too slow, the timer or the machine: %.0f operations a second", done)
	}
	runtime.KeepAlive(conns)
	return cpu
}

// nothing is a Timer that does nothing.
type nothing struct{}

func (nothing) AfterFunc(time.Duration, func()) Armed { return nothing{} }
func (nothing) New(func()) Owned                      { return nothing{} }
func (nothing) Reset(time.Duration) bool              { return true }
func (nothing) Stop() bool                            { return true }
func (nothing) Close()                                {}

// eachMillisecond calls f with the number of every millisecond, and returns how long all calls took. A late call
// follows at once: the grid does not wait.
func eachMillisecond(d time.Duration, f func(ms int)) (took time.Duration) {
	start := time.Now()
	for ms := range int(d / time.Millisecond) {
		time.Sleep(time.Until(start.Add(time.Duration(ms) * time.Millisecond)))
		f(ms)
	}
	return time.Since(start)
}

// dueBy returns how many operations are due, at a rate, by the end of a millisecond.
func dueBy(rate, ms int) int { return rate * (ms + 1) / 1000 }

// pacedCalls arms deadlines at a fixed rate. Most are stopped 5 ms later; one in oneIn expires.
type pacedCalls struct {
	timer    Timer
	oneIn    int                                       // 0: none
	flying   [answerAfter/time.Millisecond + 1][]Armed // by the millisecond in which they were armed
	armed    int
	expiring int

	mu   sync.Mutex
	late []float64 // ms, of those that expired; guarded by mu
}

// round arms deadlines until so many have been armed in all, and stops those of 6 ms ago.
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
func (c *pacedCalls) end(b *testing.B) []float64 {
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
		b.Errorf("%d deadlines expired, of %d", len(c.late), c.expiring)
	}
	return c.late
}
