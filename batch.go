package hashedwheel

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// batch is what the worker hands out between two holds of the lock: enough that
// the lock costs each timeout next to nothing, few enough that a slow task keeps
// no more than that many from the collector.
type batch struct {
	timeouts [batchSize]*Timeout // written with mu held: by its worker, and by who replaces that
	filled   int                 // how many are in use; as timeouts

	// The rest is its worker's alone.
	turn    int        // index of the next to be handed out
	aside   int        // how many more Inline runs in goroutines
	expired []*Timeout // claimed for the default executor, for launch to start
}

const batchSize = 64

// at returns a timeout of the batch, or nil if the wheel was handed on. The worker
// calls it without mu: it pairs with forget.
func (b *batch) at(i int) *Timeout {
	return (*Timeout)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&b.timeouts[i]))))
}

// forget lets the collector have a timeout that a replaced worker, perhaps for
// ever in its task, still has in its batch. The caller holds mu.
func (b *batch) forget(i int) {
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&b.timeouts[i])), nil)
}

// inUse returns the timeouts in the batch. The caller holds mu.
func (b *batch) inUse() []*Timeout { return b.timeouts[:b.filled] }

// pass drains, then hands out what is due at the current tick, which it returns
// together with how many timeouts it drained. It reads the clock once, but for a
// user's clock, which may step. It is not ok if the wheel was handed on meanwhile:
// the caller is no longer the worker.
func (t *Timer) pass(b *batch) (tick int64, drained int, ok bool) {
	now := t.now()
	tick = t.tickAt(now)
	if !t.handOut(b, tick) { // what a task that ended its goroutine left behind
		return 0, 0, false
	}
	if t.wheel.isAhead(tick) {
		t.wheel.rewind(tick)
	}
	drained = t.drain(t.drainLimit)
	t.wheel.close(tick)
	for t.fillBatch(b, tick, now) {
		t.watch.begin(t)
		t.mu.Unlock()
		if !t.handOut(b, tick) {
			return 0, 0, false
		}
	}
	t.watch.end(b)
	t.checkWheel()
	t.mu.Unlock()
	return tick, drained, true
}

// drain files what has been handed over, at most limit timeouts, and returns
// how many it saw. The caller holds mu.
func (t *Timer) drain(limit int) (n int) {
	for ; n < limit; n++ {
		if t.backlog == nil {
			t.backlog = t.queue.take()
		}
		to := t.backlog
		if to == nil {
			break
		}
		t.backlog = to.link
		t.file(to)
	}
	t.checkWheel()
	return n
}

// drainAll files what had been handed over when it was called: each stripe once, so
// that it ends although producers go on. The caller holds mu.
func (t *Timer) drainAll() {
	forEach(t.backlog, t.file)
	t.backlog = nil
	t.queue.takeAll(t.file)
	t.checkWheel()
}

// file puts a timeout from the queue where its word says. One in the batch may
// still be claimed from there, unless it stays queued, so it is held until the
// batch is done. The caller holds mu.
func (t *Timer) file(to *Timeout) {
	if to.home == inBatch {
		to.link, t.held = t.held, to
		return
	}
	w := to.unqueue()
	if to.home != unfiled {
		t.wheel.remove(to)
	}
	switch w.state() {
	case Pending:
		t.wheel.place(to, t.wheel.tickOf(w.deadline()))
	case Cancelled:
		t.cancelled++
	}
}

// fillBatch moves up to batchSize timeouts that are due by tick into the batch
// and reports whether there were any. Those no longer pending are let go; those
// queued again go with them, the next drain files them. The caller holds mu.
func (t *Timer) fillBatch(b *batch, tick, now int64) bool {
	for b.filled < batchSize {
		to := t.due.head
		if to == nil {
			taken := t.wheel.advance(tick, &t.due)
			if taken == noTick {
				break
			}
			t.lag = time.Duration(now - taken*t.tick)
			t.maxLag = max(t.maxLag, t.lag)
			continue
		}
		t.wheel.remove(to)
		w := to.load()
		if w.state() != Pending || w.queued() {
			continue
		}
		if at := t.wheel.tickOf(w.deadline()); at > tick {
			t.wheel.place(to, at) // moved later since it was filed
			continue
		}
		to.home = inBatch
		b.timeouts[b.filled] = to
		b.filled++
	}
	return b.filled > 0
}

// handOut runs the batch and empties it. It runs user code, so the caller must not
// hold mu; it returns with mu held, unless it reports that the wheel was handed on.
func (t *Timer) handOut(b *batch, tick int64) bool {
	t.runBatch(b, tick)
	t.mu.Lock()
	if t.batch.Load() != b {
		t.mu.Unlock()
		return false
	}
	t.emptyBatch(b)
	return true
}

// runBatch gives each timeout of the batch its turn: if it still is pending then,
// and due, it expires.
func (t *Timer) runBatch(b *batch, tick int64) {
	due := tick * t.tick
	for b.turn < b.filled && t.batch.Load() == b {
		if t.mayStep {
			due = min(due, t.now()) // a task may have set the clock back
		}
		to := b.at(b.turn)
		b.turn++
		if to == nil || !to.claim(due) {
			continue
		}
		t.expired.Add(1)
		if t.batch.Load() != b {
			t.takeOut(to)
		}
		t.execute(to, b)
	}
	t.launch(b)
}

// emptyBatch lets what was in the batch go, or files it if it still has to wait.
// The caller holds mu.
func (t *Timer) emptyBatch(b *batch) {
	for _, to := range b.inUse() {
		if to.home = unfiled; isWaiting(to) {
			t.wheel.place(to, t.wheel.tickOf(to.load().deadline())) // moved later
		}
	}
	t.releaseHeld()
	clear(b.inUse()) // let the collector have them
	b.filled, b.turn = 0, 0
}

// isWaiting reports whether a timeout that is in no list has to be filed: it is
// pending, and no drain will meet it.
func isWaiting(to *Timeout) bool {
	w := to.load()
	return w.state() == Pending && !w.queued()
}

// releaseHeld puts what was held while it was in the batch into the backlog, for
// the next drain. The caller holds mu.
func (t *Timer) releaseHeld() {
	forEach(t.held, func(to *Timeout) {
		to.link, t.backlog = t.backlog, to
	})
	t.held = nil
}
