package hashedwheel

import (
	"sync"
	"sync/atomic"
	"time"
)

// worker is the consumer side of a Timer: the wheel, and what is on its way
// into it and out of it. This file says when the worker runs, batch.go what it
// does then, handoff.go who it is when a task does not return.
//
// mu is held to drain and to advance, never while user code runs, and producers
// do without it (but for leave, when Timer.Stop overtakes the one that starts a
// worker). Whoever holds it may drain in the worker's place, as Pending and Stats
// do.
type worker struct {
	mu      sync.Mutex
	stopped bool        // guarded by mu
	wheel   hashedWheel // guarded by mu
	backlog *Timeout    // taken from the queue, not filed yet; guarded by mu
	held    *Timeout    // queued again while in the batch, filed after it; guarded by mu
	due     bucket      // of the last tick taken, not in the batch yet; guarded by mu

	// batch is the one being handed out, and the goroutine that it belongs to is the
	// worker. handOn stores another, with mu held; a worker looks before each task, and
	// whenever it has mu, whether it has been replaced.
	batch atomic.Pointer[batch]
	watch watch // guarded by mu

	cancelled   uint64        // guarded by mu
	lag, maxLag time.Duration // guarded by mu

	wake    chan struct{} // holds one token that ends a sleep
	quit    chan struct{} // closed by Stop: ends all sleep
	running atomic.Int64  // goroutines: the worker's, its predecessors', Advance's and crews'; and tasks with the executor
	done    chan struct{} // closed under mu once stopped and running is 0
	isDone  bool          // guarded by mu

	expired, panics, wakeups atomic.Uint64
}

// The values of Timer.parked. An awake worker is sure to look at the queue
// before it parks, so a producer need do nothing. Otherwise the one that sets it
// back to awake sends a token, or starts a goroutine.
const (
	awake  = iota
	asleep // until the next timeout is due
	absent // nothing is pending
)

// work passes and parks until nothing is pending or b is no longer the batch. A
// worker that an arming has started or woken waits for the next tick before it
// drains, so that a burst costs one wake-up and calls that end meanwhile never
// reach the wheel.
func (t *Timer) work(b *batch, woken bool) {
	ended := false
	defer func() {
		switch replaced := t.batch.Load() != b; {
		case replaced:
			t.back(b)
		case !ended:
			go t.work(b, false) // an inline task or the clock called runtime.Goexit: go on behind it
			return
		}
		t.leave()
	}()
	for next := int64(noTick); ; {
		if woken {
			now := t.now()
			t.sleepUntil(min(next, t.tickAt(now)+1), now)
		}
		tick, drained, ok := t.pass(b)
		if !ok {
			break
		}
		now := t.now()
		var rest int32
		if next, rest = t.park(tick, drained, now); rest == absent {
			break
		}
		woken = t.sleepUntil(next, now) && rest == asleep
	}
	ended = true
}

// sleepUntil returns when a tick begins, or earlier when there is a token or the
// timer stops. It reports whether it was a token.
func (t *Timer) sleepUntil(tick, now int64) (woken bool) {
	if alarm := t.alarm(tick, now); alarm != nil {
		select {
		case <-alarm:
		case <-t.quit:
		case <-t.wake:
			woken = true
		}
		t.wakeups.Add(1)
	}
	t.parked.Store(awake)
	return woken
}

// alarm returns a channel that tells when a tick begins, or nil if it has begun.
func (t *Timer) alarm(tick, now int64) <-chan time.Time {
	for {
		wait := tick*t.tick - now
		if wait <= 0 {
			return nil
		}
		c, before := t.clock.After(time.Duration(wait)), now
		if now = t.now(); now-before < t.tick/8 {
			return c
		}
		// The clock moved on between now and After: c will be late by as much, of which
		// up to an eighth of a tick is let pass.
	}
}

// park decides until which tick the worker sleeps after a pass, and in which
// state; absent is the end. After a pass without traffic it publishes that state
// and looks at the queue once more, while a producer pushes and then looks at
// parked: one of the two sees the other. That, and the choice of the next tick,
// are under one hold of the lock, else a drain by Pending could take an arming
// out of the queue between the looks.
func (t *Timer) park(tick int64, drained int, now int64) (next int64, rest int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stopped:
		return tick, absent
	case t.wheel.isAhead(t.tickAt(now)):
		return t.tickAt(now), awake // pass at once
	case t.backlog != nil || drained == t.drainLimit:
		return tick, awake // go on draining in the time that is left
	case drained > 0:
		return tick + 1, awake
	}
	next, rest = t.wheel.next(), asleep
	if next == noTick {
		rest = absent
	}
	t.parked.Store(rest)
	if !t.queue.empty() && t.parked.CompareAndSwap(rest, awake) {
		return tick + 1, awake
	}
	return next, rest
}

// unpark makes sure that the worker will look at the queue. It is the slow part
// of push, run by one producer of a burst.
func (t *Timer) unpark() {
	if t.parked.CompareAndSwap(asleep, awake) {
		t.nudge()
		return
	}
	t.running.Add(1) // before the CAS, so that Stop, which ends it, sees one or the other
	if t.parked.CompareAndSwap(absent, awake) {
		go t.work(t.batch.Load(), true)
	} else {
		t.leave()
	}
}

// nudge ends the worker's sleep, this one or, if there is none, the next.
func (t *Timer) nudge() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// passOnce is the worker's part as ManualClock.Advance does it.
func (t *Timer) passOnce() {
	t.running.Add(1)
	defer t.leave() // deferred: a task may panic
	t.pass(t.batch.Load())
}

// nextDue returns the next instant at which something may be due, for
// ManualClock.Advance.
func (t *Timer) nextDue() (at time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.batch.Load().filled > 0 || !t.due.empty() { // a task panicked in the middle of a batch
		return t.start, true
	}
	t.drainAll()
	next := t.wheel.next()
	return t.start.Add(time.Duration(next * t.tick)), next != noTick
}

// tickAt returns the last tick that has begun at a time.
func (t *Timer) tickAt(now int64) int64 { return floor(now, t.tick) }

// floor divides and rounds down.
func floor(ns, by int64) int64 {
	n := ns / by
	if ns%by < 0 {
		n--
	}
	return n
}
