package hashedwheel

import (
	"sync"
	"sync/atomic"
	"time"
)

// guarded is all that the lock guards: the wheel, and what is on its way into it and out of it.
// Its methods take the lock; those in filing.go expect it to be held. One hold looks at one or
// two portions of timeouts, but for stop and rewind.
type guarded struct {
	sync.Mutex
	queue   *mpscQueue // as its consumer
	wheel   hashedWheel
	backlog *Timeout // taken from the queue, not filed yet
	held    *Timeout // queued again while in the batch, filed after it
	passing bool     // the worker is in a pass, and may be kept there
	stopped bool
	wanted  atomic.Int64 // atomic, not guarded: when the worker begins to wait, for the lock or a processor; 0: it does not

	// What the worker hands out between two holds of the lock. Only take and settle write these
	// two; the worker reads them without the lock in between.
	batch     []*Timeout
	batchTick int64 // that the first was filed under

	cancelled   uint64
	lag, maxLag time.Duration
}

const (
	batchSize = 64  // the lock costs each next to nothing, and a slow task keeps no more from the collector
	portion   = 256 // filed in some 50 µs, in shuffled memory

	forLock = 1 // wanted, while the worker waits for the lock
)

// lockFirst is Lock for the worker, which then waits no longer; until then no producer helps.
func (g *guarded) lockFirst() {
	g.wanted.Store(forLock)
	g.Lock()
	g.wanted.Store(0)
}

// begin starts a pass: the wheel turns to the tick at which the worker meant to wake, and
// nobody else turns it until the pass ends. It reports whether the wheel is ahead of tick.
func (g *guarded) begin(slept, tick int64) (ahead bool) {
	g.lockFirst()
	defer g.Unlock()
	g.passing = true
	g.wheel.skip(min(slept, tick))
	return g.wheel.isAhead(tick)
}

// turnBack turns the wheel back to the tick of a clock that was set back.
func (g *guarded) turnBack(tick int64) {
	g.lockFirst()
	defer g.Unlock()
	if g.wheel.isAhead(tick) {
		g.wheel.rewind(tick)
	}
}

// drain files at most limit queued timeouts, and returns how many it saw.
func (g *guarded) drain(limit int) int {
	g.lockFirst()
	defer g.Unlock()
	return g.fileSome(limit)
}

// help has a producer file what t's stripe holds, which has become deep, or the backlog if there
// is one: those who make a crowd keep up with it, however few processors are left to the worker.
// It reports false if the lock is taken.
func (g *guarded) help(t *Timeout) bool {
	if !g.TryLock() {
		return false
	}
	defer g.Unlock()
	if g.stopped {
		return true
	}
	if g.backlog == nil {
		g.backlog = g.queue.takeFrom(g.queue.stripeOf(t))
	}
	g.fileBacklog(2 * portion)
	g.check()
	return true
}

// drainAll files what is queued when it is called, at a tick of the clock, and then looks.
func (g *guarded) drainAll(tick int64) (next int64, pending int) {
	g.Lock()
	defer g.Unlock()
	if !g.passing && !g.stopped { // in a pass that would hide how late the worker is
		g.wheel.skip(tick) // what was armed for the past is due now
	}
	for end := g.queue.looked + uintptr(len(g.queue.stripes)); ; {
		if g.fileSome(portion) < portion || g.queue.looked > end {
			return g.look()
		}
		g.Unlock() // whoever waits may have it
		g.Lock()
	}
}

// take fills the batch with what is due by tick and reports whether there may be any: the
// batch may have stayed empty, since not all that is filed under a tick need still be due.
func (g *guarded) take(tick int64) bool {
	g.lockFirst()
	defer g.Unlock()
	if g.stopped {
		return false
	}
	g.wheel.close(tick)
	for looked := 0; looked < portion && len(g.batch) < batchSize; looked++ {
		t := g.wheel.pop(tick)
		if t == nil {
			at, filed := g.wheel.advance(tick, portion-looked)
			if looked += filed; at == noTick {
				return looked >= portion || len(g.batch) > 0
			}
			continue
		}
		g.consider(t, tick)
	}
	return true
}

// settle empties the batch, whose last was handed out at a time: what was in it is let go,
// or filed if it was moved later.
func (g *guarded) settle(now int64) {
	g.lockFirst()
	defer g.Unlock()
	g.lag = time.Duration(max(0, now-g.batchTick*g.wheel.tick))
	g.maxLag = max(g.maxLag, g.lag)
	for _, t := range g.batch {
		if t.home != inBatch {
			misused(t)
		}
		t.home = unfiled
		if w := t.load(); w.state() == Pending && !w.queued() {
			g.wheel.place(t, g.wheel.tickOf(w.deadline())) // moved later
		}
	}
	for t := g.held; t != nil; t = g.held {
		g.held = t.link
		t.link, g.backlog = g.backlog, t
	}
	clear(g.batch) // let the collector have them
	g.batch = g.batch[:0]
	g.check()
}

func (g *guarded) thin() bool {
	g.lockFirst()
	defer g.Unlock()
	return !g.stopped && g.wheel.thin()
}

// collect closes the queue and cancels a portion of what is pending: against a batch that
// is being handed out and against Timeout.Stop each word decides. It appends to left what
// it cancelled, but for the timer's own, and returns how many that was in all.
func (g *guarded) collect(left []*Timeout) (_ []*Timeout, ended int, more bool) {
	g.Lock()
	defer g.Unlock()
	settle := func(t *Timeout) {
		if t.collect() {
			ended++
			if !t.isOwn() {
				left = append(left, t)
			}
		}
		if t.load().state() == Cancelled {
			g.cancelled++
		}
	}
	if !g.stopped {
		g.stop()
		for _, t := range g.batch {
			settle(t)
		}
	}
	for range portion {
		t := g.popAny()
		if t == nil {
			return left, ended, false
		}
		settle(t)
	}
	return left, ended, true
}
