package hashedwheel

import (
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/handicap"
	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// guarded is all that the lock guards: the wheel, and the timeouts on their way into it and out of it. Its methods
// take the lock, except those at the end of the file, whose callers hold it. One hold looks at one or two portions of
// timeouts; only Timer.Stop's first hold, which joins all that wait into one list, looks at more.
type guarded struct {
	owner   *Timer // this and the next two are init's, then read only
	queue   *mpscQueue
	lookout *lookout

	mu      sync.Mutex
	wheel   hashedWheel
	lists   []*Timeout // taken from the queue and not filed yet, the oldest list first
	round   int        // so many of the first lists were queued when the pass began: its tick stays open for them
	stopped bool

	// Timeouts that were queued again while in the batch. They are filed when the batch is settled: an entry of the
	// batch and one of the wheel would otherwise name one timeout, and it could be handed out twice in a pass.
	held *Timeout

	batch     []*Timeout // handed out between two holds of the lock: only takeDue and settle write it
	batchTick int64      // the tick that its first timeout was filed under

	lag, maxLag time.Duration
	lagCounts   [20]uint64
}

const (
	batchSize = limits.Batch
	portion   = limits.Portion
)

func (g *guarded) init(tm *Timer, wheelSize int) {
	g.owner, g.queue, g.lookout = tm, &tm.queue, &tm.worker.lookout
	g.wheel.init(tm.time.tickLen, wheelSize)
	g.batch = make([]*Timeout, 0, batchSize)
	g.lists = make([]*Timeout, 0, 4*len(g.queue.stripes)) // what grows under the lock may have to help the collector
}

// beginPass makes everything that is queued the pass's round, unless a part of the last round is left, and closes the
// tick for later armings. So the stripes stay deep while the worker falls behind, and their producers help; and
// tasks that arm themselves on a clock that stands still do not make the round grow forever.
//
// The tick may be an older reading of the clock than the one to which another goroutine has turned the wheel. Then
// nothing is due yet by it, and the worker looks again as soon as it has parked.
func (g *guarded) beginPass(tick int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn(tick)
	// The tick was closed but not left: user code ended a pass of it, or this is an older reading of the clock. A round
	// taken now could hold what the pass's own tasks have armed, without end: the next tick takes it.
	isCut := g.wheel.current <= tick && tick < g.wheel.opening
	if !isCut && g.round == 0 {
		g.takeAll()
		g.round = len(g.lists)
	}
	g.wheel.close(tick)
}

// fileRound files at most limit timeouts of the pass's round, and returns how many.
func (g *guarded) fileRound(limit int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, _ := g.file(limit, g.round)
	return n
}

// takeDue returns a batch of timeouts that are due by tick, and reports false if there are none. After true the batch
// may be empty: all of a portion may have been moved. The wheel leaves the tick only once the round is filed.
func (g *guarded) takeDue(tick int64) (batch []*Timeout, more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return nil, false
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
			if g.round == 0 {
				g.wheel.leave(tick)
			}
			return g.batch, len(g.batch) > 0
		}
	}
	return g.batch, true
}

// settle empties the batch, of which so many expired, the last at now. Moved and held timeouts are filed.
func (g *guarded) settle(expired uint64, now int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, t := range g.batch {
		checkInBatch(t, i) // all, before anything changes: a program may recover the panic
	}
	if expired > 0 {
		g.noteLag(expired, time.Duration(max(0, now-g.batchTick*g.wheel.tickLen)))
	}
	for _, t := range g.batch {
		t.home = unfiled
		w := t.load()
		isRefused := w.queued() && g.stopped    // or about to be
		if w.state() == Pending && !isRefused { // if it is queued, it counts here until it is filed again
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

func (g *guarded) noteLag(expired uint64, lag time.Duration) {
	g.lag = lag
	g.maxLag = max(g.maxLag, lag)
	doublings := bits.Len64(uint64(max(0, lag-1) / (100 * time.Microsecond))) // entry i is up to 100µs<<i
	g.lagCounts[min(doublings, len(g.lagCounts)-1)] += expired
}

func (g *guarded) thin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.stopped && g.wheel.thin()
}

// park decides until which tick the worker sleeps after a pass, and in which status; absent is the end. It
// publishes the status, then looks at the queue; a producer pushes, then looks at the status: one sees the
// other. One hold of the lock, since between two a drain elsewhere could take an arming out of the queue.
func (g *guarded) park(tick int64, isBusy bool) (next int64, status int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return noTick, absent // and status stays as Timer.Stop left it
	}
	next, status = g.rest(tick, isBusy)
	g.lookout.expected.Store(next)
	if status == awake {
		return next, status
	}
	g.lookout.status.Store(status)
	if !g.queue.empty() && g.lookout.status.CompareAndSwap(status, awake) {
		g.lookout.expected.Store(tick + 1)
		return tick + 1, awake
	}
	return next, status
}

// fileStripe has a producer file a part of the lists or, if there are none, of its stripe. If that is being combed, it
// waits with the lock released: the comber may have lost its processor, and the stripe would grow until it has it back.
func (g *guarded) fileStripe(s *stripe, tick int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.fileFor(s, tick) {
		g.mu.Unlock()
		s.awaitComber()
		g.mu.Lock()
	}
}

// tryFileStripe is fileStripe if the lock is free, without a wait for a comber.
func (g *guarded) tryFileStripe(s *stripe, tick int64) {
	if g.mu.TryLock() {
		defer g.mu.Unlock()
		g.fileFor(s, tick)
	}
}

// drainAll files everything that is queued, then looks.
func (g *guarded) drainAll(tick int64) (next int64, pending int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn(tick)
	g.takeAll()
	for left := len(g.lists); ; {
		_, ended := g.file(portion, left)
		left -= ended
		if left == 0 || len(g.lists) == 0 || g.stopped { // len: others may have filed some of them
			return g.look()
		}
		g.mu.Unlock() // for others who wait
		g.mu.Lock()
	}
}

// collect closes the queue and cancels a portion of the pending timeouts. Against a batch that is being
// handed out, and against Timeout.Stop, each word decides. It appends to ended the timeouts that it canceled.
func (g *guarded) collect(ended []*Timeout) (_ []*Timeout, more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	cancel := func(t *Timeout) {
		if t.collect() {
			ended = append(ended, t)
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
	g.mu.Lock()
	defer g.mu.Unlock()
	return t.refuse(t.home.level() >= 0)
}

// From here on the caller holds the lock. takeAll alone releases it on the way, as fileStripe and drainAll above do.

// turn moves the wheel on to a tick if nothing is due before it. Timeouts that are armed for the past are then filed
// under that tick, and not under the one at which the wheel was left. But nobody turns the wheel past the tick at
// which the worker means to look: that would hide from Lag and Overdue how late the worker is.
func (g *guarded) turn(tick int64) { g.wheel.turn(min(tick, g.lookout.expected.Load())) }

// rest returns the tick until which the worker may sleep after a pass, and its status then.
func (g *guarded) rest(tick int64, isBusy bool) (next int64, status int32) {
	if isBusy || len(g.lists) > 0 { // lists: of another goroutine's drain
		return tick + 1, awake
	}
	next = g.wheel.wake()
	if next == noTick {
		return noTick, absent
	}
	return next, asleep
}

// fileFor files a part of the lists or, if there are none, of a stripe. It reports false if that is being combed.
func (g *guarded) fileFor(s *stripe, tick int64) (ok bool) {
	if g.stopped {
		return true
	}
	g.turn(tick)
	if len(g.lists) == 0 && !g.takeFrom(s) {
		return false
	}
	g.file(2*portion, len(g.lists))
	return true
}

// takeAll takes everything that is queued. If a stripe is being combed, it waits with the lock released: the comber may
// have lost its processor.
func (g *guarded) takeAll() {
	for i := range g.queue.stripes {
		s := &g.queue.stripes[i]
		for !g.stopped && !g.takeFrom(s) {
			g.mu.Unlock()
			s.awaitComber()
			g.mu.Lock()
		}
	}
}

// takeFrom takes everything that is queued in a stripe, and reports false if it is being combed.
func (g *guarded) takeFrom(s *stripe) (ok bool) {
	list, ok := s.take()
	if list != nil {
		g.lists = append(g.lists, list)
	}
	return ok
}

// file files at most limit timeouts of the first lists, and returns how many, and how many lists came to their end.
func (g *guarded) file(limit, lists int) (n, ended int) {
	for n < limit && ended < lists && len(g.lists) > 0 && !g.stopped {
		t := g.lists[0]
		for ; n < limit && t != nil; n++ {
			next := t.link
			g.lists[0] = t // if t is misused, the next call after a recovered panic finds it again
			g.fileOne(t, g.round > 0)
			t = next
		}
		g.lists[0] = t
		if t == nil {
			g.lists = slices.Delete(g.lists, 0, 1)
			g.round = max(0, g.round-1)
			ended++
		}
	}
	g.check()
	return n, ended
}

// fileOne takes a timeout from the queue, and places it in the wheel if it is pending. A timeout that is
// in the batch stays queued, so that the batch does not claim it, and is held until the batch is settled.
// Canceled and no longer queued it is nowhere: Timeout.begin relies on that.
func (g *guarded) fileOne(t *Timeout, isOfRound bool) {
	handicap.Spend()
	if g.isInBatch(t) {
		t.link, g.held = g.held, t
		return
	}
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	switch w := t.unqueue(); {
	case w.state() == Pending && isOfRound:
		g.wheel.placeOpen(t, g.wheel.tickOf(w.deadline()))
	case w.state() == Pending:
		g.wheel.place(t, g.wheel.tickOf(w.deadline()))
	}
}

func (g *guarded) isInBatch(t *Timeout) bool {
	if t.home.kind() != inBatch {
		return false
	}
	if i := t.home.index(); i >= len(g.batch) || g.batch[i] != t {
		misused(t)
	}
	return true
}

// checkInBatch finds a timeout that was overwritten in the batch, or is in two places of it.
func checkInBatch(t *Timeout, i int) {
	if t.home != homeIn(inBatch, 0, i) {
		misused(t)
	}
}

// consider puts a timeout that was filed under current into the batch, or back into the wheel if it was
// moved later, or is queued to be moved. A timeout that is no longer pending is let go.
func (g *guarded) consider(t *Timeout, tick int64) {
	if t.timer != g.owner {
		misused(t) // cleared, and bound to another Timer whose wheel has filed it in a place of the same name
	}
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
	t.home = homeIn(inBatch, 0, len(g.batch))
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
	all := append(g.queue.close(), append(g.lists, g.held)...)
	g.stopped = true
	g.lists, g.round, g.held = []*Timeout{nil}, 0, nil // first: a program may recover misused's panic
	var waiting *Timeout
	for _, t := range all {
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
	g.lists[0] = waiting
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
