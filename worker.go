package hashedwheel

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// worker is the consumer side of a Timer: the wheel, and what is on its way
// into it and out of it.
//
// mu is held to drain and to advance, never while user code runs, and producers
// never take it. Whoever holds it may drain in the worker's place, as Pending
// and Stats do. What is marked "worker" belongs to the one goroutine that hands
// out: the worker's own, or the one in ManualClock.Advance.
type worker struct {
	mu      sync.Mutex
	stopped bool        // guarded by mu
	wheel   hashedWheel // guarded by mu
	backlog *Timeout    // taken from the queue, not filed yet; guarded by mu
	held    *Timeout    // queued again while in the batch, filed after it; guarded by mu
	due     bucket      // of the last tick taken, not in the batch yet; guarded by mu

	batch  [batchSize]*Timeout // being handed out; the worker writes it with mu held
	filled int                 // how much of batch is in use; as batch
	turn   int                 // index of the next in batch to be handed out; worker

	cancelled   uint64        // guarded by mu
	lag, maxLag time.Duration // guarded by mu

	parked  atomic.Int32  // awake, asleep or absent; published by park, pairs with the look in push
	wake    chan struct{} // holds one token that ends a sleep
	running atomic.Int64  // the worker's goroutine or Advance, and tasks with the executor
	done    chan struct{} // closed under mu once stopped and running is 0
	isDone  bool          // guarded by mu

	expired, panics, wakeups atomic.Uint64
}

// batchSize timeouts are handed out between two holds of the lock: enough that
// it costs each of them next to nothing, few enough that one slow task keeps no
// more than that many from the collector.
const batchSize = 64

// The values of parked. An awake worker is sure to look at the queue before it
// parks, so a producer need do nothing. Otherwise the one that sets it back to
// awake sends a token, or starts a goroutine.
const (
	awake  = iota
	asleep // until the next timeout is due
	absent // nothing is pending
)

// work is the worker's goroutine. It begins by waiting for the next tick, so
// that a burst of armings costs one wake-up.
func (t *Timer) work() {
	ended := false
	defer func() {
		if ended {
			t.leave()
		} else {
			go t.work() // an inline task called runtime.Goexit: another goroutine goes on behind it
		}
	}()
	wait := time.Duration(0)
	if t.turn == t.filled {
		now := t.now()
		wait = t.until(t.tickAt(now)+1, now)
	}
	for wait >= 0 {
		t.sleep(wait)
		tick, more := t.pass()
		wait = t.park(tick, more, t.now())
	}
	ended = true
}

// sleep returns after d, or earlier when there is a token.
func (t *Timer) sleep(d time.Duration) {
	if d == 0 {
		return
	}
	select {
	case <-t.clock.After(d):
	case <-t.wake:
	}
	t.parked.Store(awake)
	t.wakeups.Add(1)
}

// pass drains, then hands out what is due at the current tick, which it
// returns, together with how many timeouts it drained.
func (t *Timer) pass() (tick int64, drained int) {
	now := t.now()
	tick = t.tickAt(now)
	t.handOut(tick) // what a task that ended its goroutine left behind
	t.mu.Lock()
	t.finishBatch()
	if tick+1 < t.wheel.current {
		t.wheel.rewind(tick + 1)
	}
	drained = t.drain(t.drainLimit)
	for t.fillBatch(tick, now) {
		t.mu.Unlock() // not deferred: a task may end the goroutine here
		t.handOut(tick)
		t.mu.Lock()
		t.finishBatch()
	}
	t.mu.Unlock()
	return tick, drained
}

// passOnce is the worker's part as ManualClock.Advance does it.
func (t *Timer) passOnce() {
	t.running.Add(1)
	defer t.leave() // deferred: a task may panic
	t.pass()
}

// nextDue returns the next instant at which something may be due, for
// ManualClock.Advance.
func (t *Timer) nextDue() (at time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.filled > 0 || !t.due.empty() { // a task panicked in the middle of a batch
		return t.start, true
	}
	t.drain(math.MaxInt)
	next := t.wheel.next()
	return t.start.Add(time.Duration(next * t.wheel.tick)), next != noTick
}

// park decides how long the worker sleeps after a pass at a tick, or ends, for
// which it returns a negative duration. After a pass without traffic it says so
// before it looks at the queue once more, while a producer pushes before it
// looks at parked: one of them sees the other. That and the choice of the next
// tick are under one hold of the lock, else another's drain could take an
// arming out of the queue between the looks.
func (t *Timer) park(tick int64, drained int, now int64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stopped:
		return -1
	case t.backlog != nil || drained == t.drainLimit:
		return 0 // go on draining in the time that is left
	case drained > 0:
		return t.until(tick+1, now)
	}
	next, rest, wait := t.wheel.next(), int32(asleep), time.Duration(-1)
	if next == noTick {
		rest = absent
	} else if wait = t.until(next, now); wait == 0 {
		return 0
	}
	t.parked.Store(rest)
	if !t.queue.empty() && t.parked.CompareAndSwap(rest, awake) {
		return t.until(tick+1, now)
	}
	return wait
}

// unpark makes sure that the worker will look at the queue. It is the slow part
// of push, run by one producer of a burst.
func (t *Timer) unpark() {
	switch {
	case t.parked.CompareAndSwap(asleep, awake):
		t.nudge()
	case t.parked.CompareAndSwap(absent, awake):
		t.running.Add(1)
		go t.work()
	}
}

// nudge ends the worker's sleep, this one or, if there is none, the next.
func (t *Timer) nudge() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
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
	return n
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
func (t *Timer) fillBatch(tick, now int64) bool {
	for t.filled < batchSize {
		to := t.due.head
		if to == nil {
			taken := t.wheel.advance(tick, &t.due)
			if taken == noTick {
				break
			}
			t.lag = time.Duration(now - taken*t.wheel.tick)
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
		t.batch[t.filled] = to
		t.filled++
	}
	return t.filled > 0
}

// handOut gives each timeout of the batch its turn: if it still is pending then,
// and due, it expires. It runs user code, so the caller must not hold mu.
func (t *Timer) handOut(tick int64) {
	for t.turn < t.filled {
		to := t.batch[t.turn]
		t.turn++
		if to.claim(tick * t.wheel.tick) {
			t.release()
			t.expired.Add(1)
			t.execute(to)
		}
	}
}

// finishBatch empties the batch and files what was held, or moved later,
// meanwhile. The caller holds mu.
func (t *Timer) finishBatch() {
	for i, to := range t.batch[:t.filled] {
		t.batch[i] = nil
		to.home = unfiled
		if w := to.load(); w.state() == Pending && !w.queued() {
			t.wheel.place(to, t.wheel.tickOf(w.deadline()))
		}
	}
	t.filled, t.turn = 0, 0
	forEach(t.held, func(to *Timeout) {
		to.link, t.backlog = t.backlog, to
	})
	t.held = nil
}

// leave is called when the worker or a task with the executor ends.
func (t *Timer) leave() {
	if t.running.Add(-1) == 0 {
		t.mu.Lock()
		t.finish()
		t.mu.Unlock()
	}
}

// finish lets Shutdown go once nothing runs and nothing can start to. The
// caller holds mu.
func (t *Timer) finish() {
	if t.stopped && t.running.Load() == 0 && !t.isDone {
		t.isDone = true
		close(t.done)
	}
}

// until returns how long it is from now to a tick, zero if that has begun.
func (t *Timer) until(tick, now int64) time.Duration {
	return time.Duration(max(0, tick*t.wheel.tick-now))
}

// tickAt returns the last tick that has begun at a time.
func (t *Timer) tickAt(now int64) int64 {
	tick := now / t.wheel.tick
	if now%t.wheel.tick < 0 {
		tick--
	}
	return tick
}
