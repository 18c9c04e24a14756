package loads

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var rpc = Load{
	Name: "rpc",
	What: "A replay of calls: on every CPU a loop arms deadlines of 30 s as fast as it can and stops them about 5 ms " +
		"later, when the answer arrives; one call in a hundred is never answered: its deadline of 1 s expires, and its caller " +
		"keeps the timeout until then. The highest rate of calls, and how long an arming took, measured for one in a " +
		"hundred, at a random place among them. The load steady shows the heap, at the same rate for all peers.",
	Cases: caseOfCalls(false, func(t peers.Timer) supply {
		return supply{peers.ArmNever(t), func(peers.Armed) {}}
	}),
}

var reuse = Load{
	Name: "reuse",
	What: "The same replay by callers that keep the timeouts of answered calls and arm them again, the last one first, " +
		"like a client that pools its calls. Timeouts that expire are new.",
	Cases: caseOfCalls(true, pool),
}

func caseOfCalls(owned bool, from func(peers.Timer) supply) func(c Config) []Case {
	return func(c Config) []Case {
		return []Case{{
			Name: "calls for " + c.Time(4*time.Second).String(), Tick: rpcTick, Owned: owned,
			Run: func(p peers.Peer, c Config) ([]Figure, error) { return replay(p, c, from) },
		}}
	}
}

const (
	rpcTick     = 10 * ms
	answered    = 99          // calls of a batch that are stopped; one more expires
	answerAfter = 5 * ms      // when these are stopped
	expireAfter = time.Second // the deadline of that one

	// Room for 10M calls a second of each caller.
	mostFlying  = 1 << 10 // batches
	mostWaiting = 1 << 17 // calls that expire
	perSecond   = 100_000 // latencies
)

func replay(p peers.Peer, c Config, from func(peers.Timer) supply) ([]Figure, error) {
	t := p.Open(rpcTick)
	var fired tally
	var stop atomic.Bool
	var done sync.WaitGroup
	callers := make([]*caller, runtime.GOMAXPROCS(0))
	for i := range callers {
		callers[i] = newCaller(t, from(t), &fired, c.Time(4*time.Second))
	}
	runtime.GC()
	start := time.Now()
	for _, c := range callers {
		done.Go(func() { c.run(&stop) })
	}
	time.Sleep(c.Time(4 * time.Second))
	stop.Store(true)
	done.Wait()
	wall := time.Since(start)
	batches, took := 0, []float64{}
	for _, call := range callers {
		call.hangUp()
		batches += call.batches
		took = append(took, call.took...)
	}
	fired.wait(batches, expireAfter+patience(p, rpcTick))
	if err := fired.fault(batches); err != nil {
		return nil, err
	}
	calls := batches * (answered + 1)
	figures := []Figure{
		{Name: "calls", Unit: PerSecond, Value: float64(calls) / wall.Seconds(), Mark: fired.mark()},
	}
	return append(figures, quantiles("arming ", Micros, took, "p50", "p99", "p99.9", "max")...), lost(t, calls)
}

// supply provides the timeouts of a caller's calls.
type supply struct {
	arm      func(d time.Duration) peers.Armed
	giveBack func(stopped peers.Armed)
}

// pool supplies timeouts that were given back.
func pool(t peers.Timer) supply {
	var kept []peers.Owned
	arm := func(d time.Duration) peers.Armed {
		var own peers.Owned
		if last := len(kept) - 1; last >= 0 {
			own, kept = kept[last], kept[:last]
		} else {
			own = peers.Own(t, func() {})
		}
		own.Reset(d)
		return own
	}
	return supply{arm, func(stopped peers.Armed) { kept = append(kept, stopped.(peers.Owned)) }}
}

// caller is one goroutine's calls.
type caller struct {
	timer peers.Timer
	from  supply
	fired *tally
	fire  func() // the tally's

	flying  fifo[batchOfCalls] // not answered yet
	waiting fifo[lostCall]     // never answered, not expired yet
	batches int
	took    []float64 // µs an arming took
}

type batchOfCalls struct {
	since time.Time
	calls [answered]peers.Armed
}

type lostCall struct {
	since time.Time
	call  peers.Armed
}

func newCaller(t peers.Timer, from supply, fired *tally, d time.Duration) *caller {
	return &caller{
		timer:   t,
		from:    from,
		fired:   fired,
		fire:    fired.fire,
		flying:  newFIFO[batchOfCalls](mostFlying),
		waiting: newFIFO[lostCall](mostWaiting),
		took:    make([]float64, 0, int(perSecond*d.Seconds())),
	}
}

func (c *caller) run(stop *atomic.Bool) {
	for !stop.Load() {
		now := time.Now()
		for c.flying.full() || !c.flying.empty() && now.Sub(c.flying.oldest().since) >= answerAfter {
			c.answerOldest()
		}
		for c.waiting.full() || !c.waiting.empty() && now.Sub(c.waiting.oldest().since) >= expireAfter {
			c.waiting.oldest().call = nil
			c.waiting.pop()
		}
		c.callBatch(now)
	}
}

func (c *caller) callBatch(now time.Time) {
	c.batches++
	f := c.fire
	if c.batches%checkEvery == 0 {
		f = c.fired.checkedFire(expireAfter)
	}
	*c.waiting.push() = lostCall{now, c.timer.Arm(expireAfter, f)}
	b := c.flying.push()
	b.since = now
	measured := rand.IntN(answered) // one fixed place next to the clock reads would not stand for all
	for i := range measured {
		b.calls[i] = c.from.arm(deadline)
	}
	start := time.Now()
	b.calls[measured] = c.from.arm(deadline)
	c.took = append(c.took, time.Since(start).Seconds()*1e6)
	for i := measured + 1; i < answered; i++ {
		b.calls[i] = c.from.arm(deadline)
	}
}

func (c *caller) answerOldest() {
	calls := &c.flying.oldest().calls
	for i, call := range calls {
		call.Stop()
		c.from.giveBack(call)
		calls[i] = nil
	}
	c.flying.pop()
}

// hangUp stops the calls in flight.
func (c *caller) hangUp() {
	for !c.flying.empty() {
		c.answerOldest()
	}
}

// fifo is a queue whose elements are written and read in place.
type fifo[T any] struct {
	ring  []T
	head  int // the oldest
	count int
}

func newFIFO[T any](n int) fifo[T] { return fifo[T]{ring: make([]T, n)} }

func (q *fifo[T]) empty() bool { return q.count == 0 }
func (q *fifo[T]) full() bool  { return q.count == len(q.ring) }
func (q *fifo[T]) oldest() *T  { return &q.ring[q.head] }

func (q *fifo[T]) push() *T {
	q.count++
	return &q.ring[(q.head+q.count-1)%len(q.ring)]
}

func (q *fifo[T]) pop() {
	q.head = (q.head + 1) % len(q.ring)
	q.count--
}
