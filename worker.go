package hashedwheel

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// worker decides when the wheel is looked at, and hands out due timeouts. It is a goroutine, or ManualClock.Advance.
type worker struct {
	lookout lookout
	starter *time.Timer   // starts live at its Reset(0): package time's goroutines inherit no profiler labels or modes
	wake    chan struct{} // holds one token, which ends a sleep
	quit    chan struct{} // closed by Timer.Stop: ends every sleep

	// Its neighbors in the Timer; read only once New has returned.
	time    *timeline
	room    *room
	guarded *guarded
	out     *runner

	_ [128]byte // callers touch the fields above at each push, the worker alone those below

	// The worker's own: the batch that it hands out, and its sleep.
	batch       []*Timeout // guarded's, lent between takeDue and settle
	given       int        // so many of the batch have had their turn
	expired     uint64     // how many of the batch have expired
	interrupted bool       // user code ended the goroutine in a batch: another goes on at once
	alarm       *time.Timer
	wakeups     atomic.Uint64 // sleeps that have ended, for Stats
}

func (wk *worker) init(tl *timeline, r *room, g *guarded, out *runner) {
	wk.time, wk.room, wk.guarded, wk.out = tl, r, g, out
	wk.lookout.expected.Store(noTick)
	wk.wake = make(chan struct{}, 1)
	wk.quit = make(chan struct{})
	wk.alarm, wk.starter = time.NewTimer(math.MaxInt64), time.AfterFunc(math.MaxInt64, wk.live)
	wk.alarm.Stop()
	wk.starter.Stop()
	if c, ok := tl.clock.(*ManualClock); ok {
		c.attach(wk) // Advance does the worker's part: it stays awake forever
	} else {
		wk.lookout.status.Store(absent)
	}
}

// live is the worker's goroutine. If user code ends it by runtime.Goexit, another goroutine goes on.
func (wk *worker) live() {
	ended := false
	defer func() {
		if ended {
			wk.out.Leave() // and nothing else: the next worker may have begun
			return
		}
		wk.interrupted = true
		wk.starter.Reset(0)
	}()
	wk.work()
	ended = true
}

// work passes and parks until nothing is pending. A worker that was started or woken waits for the next
// tick: a burst of armings costs one wake-up, and calls that end before the tick never reach the wheel.
func (wk *worker) work() {
	if !wk.interrupted {
		wk.awaitNextTick()
	}
	wk.interrupted = false
	for {
		tick, filed, again := wk.pass()
		if again {
			continue
		}
		next, status := wk.guarded.park(tick, filed > 0)
		if status == absent {
			return
		}
		hasToken := wk.sleepUntil(next)
		if hasToken && status == asleep {
			wk.awaitNextTick()
		}
	}
}

// awaitNextTick sleeps until the tick after the one in which the worker was woken, or started.
func (wk *worker) awaitNextTick() {
	expected := &wk.lookout.expected
	expected.Store(min(wk.time.thisTick()+1, expected.Load()))
	wk.sleepUntil(expected.Load())
}

// pass files the round, which is everything that is queued when the pass begins, and hands out the timeouts that are
// due at the current tick, between two parts of a long round also. The worker passes again at once if a crowd is in
// hand, or if the pass has outlasted the tick: a new round must not wait until a million timeouts are handed out.
func (wk *worker) pass() (tick int64, filed int, again bool) {
	g := wk.guarded
	tick = wk.time.thisTick()
	wk.finishBatch(tick)
	g.beginPass(tick)
	for isFiled := false; !isFiled; {
		var n int
		n, isFiled = wk.drain()
		filed += n
		for wk.takeDue(tick) {
			now := wk.handOut(tick)
			if wk.time.tickAt(now) > tick {
				return tick, filed, true
			}
		}
	}
	return tick, filed, g.thin()
}

// drain files the round for at most half a tick or two milliseconds, and reports whether all of it is filed.
func (wk *worker) drain() (n int, isFiled bool) {
	enough := min(time.Duration(wk.time.tickLen/2), 2*time.Millisecond) // what due timeouts may wait for the round
	for begun := time.Now(); n < limits.Drain && time.Since(begun) <= enough; {
		k := wk.guarded.fileRound(portion)
		n += k
		if k < portion {
			return n, true
		}
	}
	return n, false
}

// takeDue takes the next batch, and reports false if no timeout is due by tick.
func (wk *worker) takeDue(tick int64) (more bool) {
	wk.batch, more = wk.guarded.takeDue(tick)
	return more
}

// handOut gives each timeout of the batch its turn: a timeout that still is pending and due expires.
// It runs user code, and returns the time at which the last timeout had its turn.
func (wk *worker) handOut(tick int64) (now int64) {
	last := len(wk.batch) - 1
	if wk.given > last {
		now = wk.time.now()
	}
	for due := tick * wk.time.tickLen; wk.given <= last; {
		if wk.given == last {
			now = wk.time.now()
		}
		t := wk.batch[wk.given]
		checkInBatch(t, wk.given)
		wk.given++
		if t.claim(due) {
			wk.expired++
			wk.room.expire(t)
			wk.out.execute(t)
		}
	}
	wk.out.crews.Launch()
	if len(wk.batch) > 0 {
		wk.guarded.settle(wk.expired, now)
	}
	wk.batch, wk.given, wk.expired = nil, 0, 0
	return now
}

// finishBatch hands out the rest of a batch in which a task ended the goroutine, or made Advance panic.
func (wk *worker) finishBatch(tick int64) {
	if len(wk.batch) > 0 {
		wk.handOut(tick)
	}
}

// sleepUntil returns when a tick begins, a token arrives or the timer stops; it reports a token.
func (wk *worker) sleepUntil(tick int64) (hasToken bool) {
	alarm, hasBegun := wk.setAlarm(tick)
	if !hasBegun {
		select {
		case <-alarm:
		case <-wk.quit:
		case <-wk.wake:
			hasToken = true
		}
		wk.wakeups.Add(1)
	}
	wk.lookout.status.Store(awake)
	return hasToken
}

// setAlarm returns a channel that receives when a tick begins, or reports that it has begun.
func (wk *worker) setAlarm(tick int64) (alarm <-chan time.Time, hasBegun bool) {
	now := wk.time.now()
	wait := time.Duration(tick*wk.time.tickLen - now)
	switch {
	case wait <= 0:
		return nil, true
	case !wk.time.isSystem:
		return wk.usersAlarm(tick, now)
	}
	wk.alarm.Reset(wait) // the alarm may still run: a timer that nobody waits for costs nothing
	return wk.alarm.C, false
}

// usersAlarm returns an alarm of the user's clock. If the clock has moved on between Now and After, the
// alarm will be late by as much, and is replaced once. A clock that moves on each time makes itself late.
func (wk *worker) usersAlarm(tick, now int64) (alarm <-chan time.Time, hasBegun bool) {
	at := tick * wk.time.tickLen
	alarm = wk.time.clock.After(time.Duration(at - now))
	later := wk.time.now()
	switch {
	case later-now < wk.time.tickLen/8: // late by less than the rounding adds on average
		return alarm, false
	case at > later:
		return wk.time.clock.After(time.Duration(at - later)), false
	}
	return nil, true
}

// unpark makes sure that the worker will look at the queue: the slow part of push.
func (wk *worker) unpark() {
	lo := &wk.lookout
	was := lo.expected.Load()
	if lo.status.CompareAndSwap(asleep, awake) {
		wk.expectNextTick(was)
		select {
		case wk.wake <- struct{}{}:
		default: // there is a token already
		}
		return
	}
	wk.time.checkBubble() // the starter would run on the bubble's time
	wk.out.Enter()        // before the CAS, so that Stop, which ends it, sees one or the other
	if lo.status.CompareAndSwap(absent, awake) {
		wk.expectNextTick(was)
		wk.starter.Reset(0)
	} else {
		wk.out.Leave()
	}
}

// expectNextTick notes in the worker's place that it means to look when the next tick begins, unless it has parked
// again. On a user's clock the worker notes that itself: the caller of Stop may hold a lock that the clock takes.
func (wk *worker) expectNextTick(was int64) {
	if !wk.time.isUsers {
		next := wk.time.tickAt(wk.time.read()) + 1
		wk.lookout.expected.CompareAndSwap(was, min(was, next))
	}
}

// passOnce is the worker's part as ManualClock.Advance does it.
func (wk *worker) passOnce() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	wk.lookout.expected.Store(wk.time.thisTick())
	wk.pass()
}

// finishOnce hands out the rest of a batch in which a task panicked.
func (wk *worker) finishOnce() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	wk.finishBatch(wk.time.thisTick())
}
