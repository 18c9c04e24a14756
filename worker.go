package hashedwheel

import (
	"sync/atomic"
	"time"
)

// worker is the consumer side of a Timer: it decides when the wheel is looked at, and
// hands out what is due. It is a goroutine, or ManualClock.Advance.
type worker struct {
	timeline
	parked     atomic.Int32 // awake, asleep or absent: producers push, then look at it
	queue      mpscQueue
	drainLimit int
	room       room // every arming reads it

	_ [128]byte // away from the lines that the worker writes

	guarded guarded // its lock is never held while user code runs
	out     runner

	slept       int64       // the tick until which the worker meant to sleep; this and the next three are its own
	turn        int         // index of the next timeout of the batch to be handed out
	interrupted bool        // an inline task or the clock ended the goroutine: go on at once
	alarm       *time.Timer // ends a sleep by the system's clock; nil before the first

	starter atomic.Pointer[time.Timer] // starts the worker's goroutine; nil before the first
	wake    chan struct{}              // holds one token that ends a sleep
	quit    chan struct{}              // closed by Stop: ends all sleep
	wakeups atomic.Uint64
}

// The values of parked. An awake worker looks at the queue before it parks. Otherwise the
// producer that sets parked back to awake sends a token, or starts a goroutine.
const (
	awake  = iota
	asleep // until the next timeout is due
	absent // nothing is pending
)

func (wk *worker) init(o *options) {
	wk.timeline = newTimeline(o.clock, o.tick)
	wk.drainLimit = o.drainLimit
	wk.queue.init()
	wk.guarded.queue = &wk.queue
	wk.guarded.wheel.init(wk.tick, o.wheelSize)
	wk.guarded.batch = make([]*Timeout, 0, batchSize)
	wk.room.max = int64(o.maxPending)
	wk.out.init(o)
	wk.wake = make(chan struct{}, 1)
	wk.quit = make(chan struct{})
	if c, ok := wk.clock.(*ManualClock); ok {
		c.attach(wk) // Advance does the worker's part: it stays awake for ever
	} else {
		wk.parked.Store(absent)
	}
}

// work passes and parks until nothing is pending. A worker that was started or woken waits
// for the next tick, so that a burst costs one wake-up and calls that end meanwhile never
// reach the wheel.
func (wk *worker) work() {
	ended := false
	defer func() {
		if ended {
			wk.out.Leave() // and nothing else: the next worker may have begun
			return
		}
		wk.interrupted = true
		wk.begin()
	}()
	if !wk.interrupted {
		wk.sleep(wk.tickAt(wk.now()) + 1)
	}
	wk.interrupted = false
	for {
		tick, drained, more := wk.pass()
		if more {
			continue
		}
		next, rest := wk.park(tick, drained)
		if rest == absent {
			break
		}
		if woken := wk.sleep(next); woken && rest == asleep {
			wk.sleep(min(next, wk.tickAt(wk.now())+1))
		}
	}
	ended = true
}

// pass drains, then hands out what is due at the current tick. There is more to do at once
// if a backlog is left, if a crowd is in hand, or if the pass has outlasted the tick: what
// is stopped or armed meanwhile is drained before the rest is handed out.
func (wk *worker) pass() (tick int64, drained int, more bool) {
	tick = wk.tickAt(wk.now())
	if len(wk.guarded.batch) > 0 {
		wk.handOut(tick) // what a task that ended its goroutine, or an Advance, has left
	}
	if wk.guarded.begin(wk.slept, tick) {
		tick = wk.tickAt(wk.now()) // the first reading may be stale: it waited for the lock
		wk.guarded.turnBack(tick)
	}
	drained, more = wk.drain()
	for wk.guarded.take(tick) {
		if now := wk.handOut(tick); wk.tickAt(now) > tick {
			return tick, drained, true
		}
	}
	return tick, drained, wk.guarded.thin() || more
}

// drain files what is queued: no more than the limit, nor for longer than two milliseconds, or
// a quarter of a tick. It reports whether there may be more.
func (wk *worker) drain() (n int, more bool) {
	for begun := time.Now(); n < wk.drainLimit; {
		limit := min(portion, wk.drainLimit-n)
		k := wk.guarded.drain(limit)
		if n += k; k < limit {
			return n, false
		}
		if time.Since(begun) > min(time.Duration(wk.tick/4), 2*time.Millisecond) {
			break
		}
	}
	return n, true
}

// handOut gives each timeout of the batch its turn: if it still is pending, and due, it
// expires. It runs user code, and returns the time at which the last had its turn.
func (wk *worker) handOut(tick int64) (now int64) {
	all := wk.guarded.batch
	if wk.turn == len(all) {
		now = wk.now()
	}
	for due := tick * wk.tick; wk.turn < len(all); {
		if wk.mayStep || wk.turn == len(all)-1 {
			now = wk.now()
			due = min(due, now) // a task may have set the clock back
		}
		t := all[wk.turn]
		wk.turn++
		if t.claim(due) {
			wk.room.release(1)
			wk.out.execute(t)
		}
		if wk.mayStep {
			wk.out.crews.Launch() // before the user's clock is asked again
		}
	}
	wk.out.crews.Launch()
	if len(all) > 0 {
		wk.guarded.settle(now)
	}
	wk.turn = 0
	return now
}

// park decides until which tick the worker sleeps after a pass, and in which state; absent
// is the end. It publishes the state, then looks at the queue, while a producer pushes, then
// looks at parked: one of the two sees the other. The next tick is chosen under the same
// hold of the lock, else a drain by somebody else could take an arming out in between.
func (wk *worker) park(tick int64, drained int) (next int64, rest int32) {
	now := wk.tickAt(wk.now())
	g := &wk.guarded
	g.lockFirst()
	defer g.Unlock()
	switch {
	case g.stopped:
		return tick, absent
	case g.wheel.isAhead(now):
		return now, awake // pass at once
	case g.backlog != nil: // left by a drain of somebody else, or held while it was in the batch
		return tick, awake
	case drained > 0:
		return tick + 1, awake
	}
	g.passing = false
	next, rest = g.wheel.wake(), asleep
	if next == noTick {
		rest = absent
	}
	wk.parked.Store(rest)
	if !wk.queue.empty() && wk.parked.CompareAndSwap(rest, awake) {
		return tick + 1, awake
	}
	return next, rest
}

// waits reports whether the worker waits for the lock or, since its alarm has rung, for a processor.
// It does not use now, which panics in a bubble: a Timeout from outside may be stopped there.
func (wk *worker) waits() bool {
	at := wk.guarded.wanted.Load()
	return at == forLock || at != 0 && at <= wk.since(wk.clock.Now())
}

// unpark makes sure that the worker will look at the queue: the slow part of push.
func (wk *worker) unpark() {
	if wk.parked.CompareAndSwap(asleep, awake) {
		select {
		case wk.wake <- struct{}{}:
		default: // there is a token already
		}
		return
	}
	wk.out.Enter() // before the CAS, so that Stop, which ends it, sees one or the other
	if wk.parked.CompareAndSwap(absent, awake) {
		wk.begin()
	} else {
		wk.out.Leave()
	}
}

// begin starts the worker's goroutine through package time, so that it inherits no
// profiler labels and no modes from whoever armed first.
func (wk *worker) begin() {
	if s := wk.starter.Load(); s != nil {
		s.Reset(0)
	} else {
		wk.starter.Store(time.AfterFunc(0, wk.work)) // that worker may be gone, and another begun, before the Store
	}
}

// look drains, and returns the earliest tick at which any may be due, and how many are pending.
func (wk *worker) look() (next int64, pending int) {
	return wk.guarded.drainAll(wk.tickAt(wk.now()))
}

// passOnce is the worker's part as ManualClock.Advance does it.
func (wk *worker) passOnce() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	wk.slept = wk.tickAt(wk.now())
	wk.pass()
}

// finishOnce hands out what a task that panicked has left of its batch.
func (wk *worker) finishOnce() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	wk.handOut(wk.tickAt(wk.now()))
}
