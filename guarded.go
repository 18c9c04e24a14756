package hashedwheel

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/handicap"
	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// guarded is all that the lock guards: the wheel, and the timeouts on their way into it and out of it. Its
// methods take the lock, except the last ones of the file, whose callers hold it. One hold looks at one or
// two portions of timeouts; only Timer.Stop's first hold and a rewind look at more.
type guarded struct {
	sync.Mutex
	queue *mpscQueue // as its consumer
	wheel hashedWheel

	lists      []*Timeout // taken from the queue and not filed yet, the oldest list first
	listsFiled uint64     // how many lists have been filed, to their ends
	roundEnd   uint64     // lists before this one are the round: they were queued when the pass began, and its tick stays open for them
	held       *Timeout   // queued again while in the batch, filed after it
	passing    bool       // the worker is in a pass, where user code may block it: no other goroutine turns the wheel. Advance leaves it set
	stopped    bool
	wanted     *atomic.Int64 // this and the next are the worker's, and not guarded
	time       *timeline

	batch     []*Timeout // handed out between two holds of the lock: only takeDue and settle write it, and the worker reads it without the lock
	batchTick int64      // the tick that its first timeout was filed under

	canceled    uint64
	lag, maxLag time.Duration
	lagCounts   [20]uint64
}

const (
	batchSize = limits.Batch
	portion   = limits.Portion
)

// lockFirst is Lock for the worker. While the worker waits, no producer helps without a turn.
func (g *guarded) lockFirst() {
	g.wanted.Store(forLock)
	g.Lock()
	g.wanted.Store(g.time.checkIn())
}

// beginPass starts a pass at a tick: the wheel turns to the tick at which the worker meant to wake, and no
// other goroutine turns it until the worker parks. If the wheel is ahead of the tick, beginPass only reports
// that: the clock was set back, or was read before another goroutine turned the wheel.
func (g *guarded) beginPass(slept, tick int64) (ahead bool) {
	g.lockFirst()
	defer g.Unlock()
	g.passing = true
	g.wheel.skip(min(slept, tick))
	if g.wheel.isAhead(tick) {
		return true
	}
	g.gather(tick)
	return false
}

// turnBack is the rest of beginPass, after the clock was read again: a wheel that still is ahead turns back.
func (g *guarded) turnBack(tick int64) {
	g.lockFirst()
	defer g.Unlock()
	if g.wheel.isAhead(tick) {
		g.wheel.rewind(tick)
	}
	g.gather(tick)
}

// fileRound files at most limit timeouts of the pass's round, and returns how many.
func (g *guarded) fileRound(limit int) int {
	g.lockFirst()
	defer g.Unlock()
	return g.file(limit, g.roundEnd)
}

// help has a producer file a part of what waits, since t's stripe is deep.
func (g *guarded) help(t *Timeout, tick int64) {
	g.Lock()
	defer g.Unlock()
	g.fileFor(t, tick)
}

// tryHelp is help if the lock is free; otherwise it reports false.
func (g *guarded) tryHelp(t *Timeout, tick int64) (ok bool) {
	ok = g.TryLock()
	if ok {
		defer g.Unlock()
		g.fileFor(t, tick)
	}
	return ok
}

// drainAll files everything that is queued, then looks. A timeout that was armed for the past is due at the
// caller's tick, unless the worker is in a pass: turning the wheel then would hide how late the worker is.
func (g *guarded) drainAll(tick int64) (next int64, pending int) {
	g.Lock()
	defer g.Unlock()
	if !g.passing && !g.stopped {
		g.wheel.skip(tick)
	}
	g.takeAll()
	for end := g.taken(); g.listsFiled < end && !g.stopped; {
		g.file(portion, end)
		g.Unlock() // for others who wait
		g.Lock()
	}
	return g.look()
}

// takeDue fills the batch with timeouts that are due by tick, and reports false if there are none. After
// true the batch may be empty: all of a portion may have been moved. The tick stays open until the round is filed.
func (g *guarded) takeDue(tick int64) (more bool) {
	g.lockFirst()
	defer g.Unlock()
	if g.stopped {
		return false
	}
	for looked := 0; looked < portion && len(g.batch) < batchSize; {
		t := g.wheel.pop(tick)
		if t != nil {
			g.consider(t, tick)
			looked++
			continue
		}
		filed, through := g.wheel.advance(tick, portion-looked)
		looked += filed
		if through {
			if g.listsFiled >= g.roundEnd {
				g.wheel.leave(tick)
			}
			return len(g.batch) > 0
		}
	}
	return true
}

// settle empties the batch, of which so many expired, the last at now. Moved and held timeouts are filed.
func (g *guarded) settle(expired uint64, now int64) {
	g.lockFirst()
	defer g.Unlock()
	g.lag = time.Duration(max(0, now-g.batchTick*g.wheel.tickLen))
	g.maxLag = max(g.maxLag, g.lag)
	doublings := bits.Len64(uint64(max(0, g.lag-1) / (100 * time.Microsecond))) // the entry with room for lag: up to 100µs<<i
	g.lagCounts[min(doublings, len(g.lagCounts)-1)] += expired
	for _, t := range g.batch {
		t.leaveBatch()
		if w := t.load(); w.state() == Pending && !(w.queued() && g.stopped) { // queued: counted here until it is filed
			g.wheel.place(t, g.wheel.tickOf(w.deadline()))
		}
	}
	for g.held != nil { // no more than a batch
		t := g.held
		g.held = t.link
		g.fileOne(t, false)
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

// collect closes the queue and cancels a portion of the pending timeouts. Against a batch that is being
// handed out, and against Timeout.Stop, each word decides. It appends to ended the timeouts that it canceled.
func (g *guarded) collect(ended []*Timeout) (_ []*Timeout, more bool) {
	g.Lock()
	defer g.Unlock()
	cancel := func(t *Timeout) {
		if t.collect() {
			ended = append(ended, t)
		}
		if t.load().state() == Canceled {
			g.canceled++
		}
	}
	if !g.stopped {
		g.stop()
		for _, t := range g.batch {
			cancel(t)
		}
	}
	for range portion {
		t := g.popAny()
		if t == nil {
			return ended, false
		}
		cancel(t)
	}
	return ended, true
}

// refuse gives up t's push, which came after stop, and reports whether it rejected an arming.
func (g *guarded) refuse(t *Timeout) bool {
	g.Lock()
	defer g.Unlock()
	return t.refuse(t.home.level() >= 0)
}

// From here on the caller holds the lock.

// gather closes the tick for later armings, and makes everything queued the pass's round, unless a part of
// the last round is left. So the stripes stay deep while the worker falls behind, and their producers help;
// and tasks that arm themselves on a clock that stands still do not make the round grow forever.
func (g *guarded) gather(tick int64) {
	isCut := g.wheel.current <= tick && tick < g.wheel.opening // user code ended the goroutine in a pass of this tick
	g.wheel.close(tick)
	if isCut || g.listsFiled < g.roundEnd {
		return
	}
	g.wanted.Store(forLock) // a stripe's lock, which a comber may hold
	g.takeAll()
	g.wanted.Store(g.time.checkIn())
	g.roundEnd = g.taken()
}

// fileFor files a part of the lists or, if there are none, of t's stripe. Between passes it turns the wheel first.
func (g *guarded) fileFor(t *Timeout, tick int64) {
	if g.stopped {
		return
	}
	if !g.passing {
		g.wheel.skip(tick) // as drainAll does
	}
	if len(g.lists) == 0 {
		g.takeFrom(g.queue.stripeOf(t))
	}
	g.file(2*portion, g.taken())
}

// taken returns how many lists were taken so far.
func (g *guarded) taken() uint64 { return g.listsFiled + uint64(len(g.lists)) }

func (g *guarded) takeAll() {
	if g.stopped {
		return
	}
	for i := range g.queue.stripes {
		g.takeFrom(&g.queue.stripes[i])
	}
}

func (g *guarded) takeFrom(s *stripe) {
	list := s.take()
	if list != nil {
		g.lists = append(g.lists, list)
	}
}

// file files at most limit timeouts, of the lists before end, and returns how many.
func (g *guarded) file(limit int, end uint64) (n int) {
	for n < limit && g.listsFiled < end && !g.stopped {
		inRound := g.listsFiled < g.roundEnd
		t := g.lists[0]
		for ; n < limit && t != nil; n++ {
			next := t.link
			g.fileOne(t, inRound)
			t = next
		}
		g.lists[0] = t
		if t == nil {
			g.lists = slices.Delete(g.lists, 0, 1)
			g.listsFiled++
		}
	}
	g.check()
	return n
}

// fileOne takes a timeout from the queue, and places it in the wheel if it is pending. A timeout that is
// in the batch stays queued, so that the batch does not claim it, and is held until the batch is settled.
// A timeout that is no longer queued is in the wheel, or nowhere: Timeout.begin relies on that.
func (g *guarded) fileOne(t *Timeout, inRound bool) {
	handicap.Spend()
	if g.isInBatch(t) {
		t.link, g.held = g.held, t
		return
	}
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	switch w := t.unqueue(); {
	case w.state() == Canceled:
		g.canceled++
	case w.state() == Pending && inRound:
		g.wheel.placeDue(t, g.wheel.tickOf(w.deadline()))
	case w.state() == Pending:
		g.wheel.place(t, g.wheel.tickOf(w.deadline()))
	}
}

func (g *guarded) isInBatch(t *Timeout) bool {
	if t.home == inBatch && !slices.Contains(g.batch, t) {
		misused(t)
	}
	return t.home == inBatch
}

// consider puts a timeout that was filed under current into the batch, or back into the wheel if it was
// moved later, or is queued to be moved. A timeout that is no longer pending is let go.
func (g *guarded) consider(t *Timeout, tick int64) {
	w := t.load()
	if w.state() != Pending {
		return
	}
	if w.queued() || w.deadline() > tick*g.wheel.tickLen {
		g.wheel.place(t, g.wheel.tickOf(w.deadline()))
		return
	}
	if len(g.batch) == 0 {
		g.batchTick = g.wheel.current
	}
	t.enterBatch()
	g.batch = append(g.batch, t)
}

// look returns the earliest tick at which a timeout may be due, and how many are pending, the batch's included.
func (g *guarded) look() (next int64, pending int) {
	next, pending = g.wheel.next(), g.wheel.count
	for _, t := range g.batch {
		if w := t.load(); w.state() == Pending { // also if the timeout was moved later, or armed again
			next = min(next, max(g.batchTick, g.wheel.tickOf(w.deadline())))
			pending++
		}
	}
	if next >= g.wheel.never {
		next = noTick
	}
	return next, pending
}

// stop closes the queue. Everything that waits becomes one list, without the timeouts of the batch.
func (g *guarded) stop() {
	g.stopped = true
	var waiting *Timeout
	for _, t := range append(g.queue.close(), append(g.lists, g.held)...) {
		for t != nil {
			next := t.link
			if g.isInBatch(t) {
				t.unqueue()
			} else {
				t.link, waiting = waiting, t
			}
			t = next
		}
	}
	g.lists, g.held = []*Timeout{waiting}, nil
}

// popAny takes any timeout out of the lists or the wheel, nil if there is none.
func (g *guarded) popAny() *Timeout {
	t := g.lists[0]
	if t == nil {
		return g.wheel.popAny()
	}
	g.lists[0] = t.link
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	t.unqueue()
	return t
}
