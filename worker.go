package hashedwheel

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// worker, a goroutine or ManualClock.Advance, decides when the wheel is looked at, and hands out due timeouts.
type worker struct {
	time  *timeline
	queue *mpscQueue
	room  *room

	status    atomic.Int32 // awake, asleep or absent: producers push, then look at it; pairs with the second look in park
	woken     atomic.Int64 // the tick in which the worker was last started or woken, noTick once it has parked: it stores, turnable reads
	wanted    atomic.Int64 // the time from which callers yield to the worker, or forLock, or notWanted; deadlineIn, relieve and Sample read it
	late      atomic.Int64 // the time from which callers yield to tasks that no goroutine has begun: the crews store it, deadlineIn reads it
	turnstile sync.Mutex   // held by a producer that waits for the lock: the worker waits behind one of them, not behind all
	yieldAt   atomic.Int64 // the time from which one producer may yield because the lock is taken; only relieve uses it

	_ [128]byte // away from the lines that the worker writes

	guarded guarded // its lock is never held while user code runs
	out     runner

	// Only the worker touches these.
	slept       int64       // the tick until which the worker last meant to sleep
	turn        int         // index of the next timeout of the batch to be handed out
	expired     uint64      // how many of the batch have expired
	interrupted bool        // user code ended the goroutine: go on at once
	alarm       *time.Timer // ends a sleep by the system's clock

	starter *time.Timer   // starts live at its Reset(0): a goroutine of package time inherits no profiler labels and no modes
	wake    chan struct{} // holds one token that ends a sleep
	quit    chan struct{} // closed by Stop: ends all sleep
	wakeups atomic.Uint64 // counted by the worker, for Stats
}

// The values of status. An awake worker looks at the queue before it parks. The producer that sets
// one of the others back to awake sends a token, or starts a goroutine.
const (
	awake  = iota
	asleep // until the next timeout is due
	absent // no timeout is pending, or only those that are never due
)

const (
	patienceNs = 100_000              // how long the worker, or a task, may wait for a processor until callers yield: an idle processor takes less
	yieldNs    = 100_000              // the time between two yields of producers that find the lock taken
	holdNs     = 1_000_000            // how long the worker may take from one hold of the lock to the next until callers yield: the system may have interrupted it
	forLock    = int64(math.MinInt64) // the worker waits for a lock
	notWanted  = int64(math.MaxInt64) // callers need not yield
)

func (wk *worker) init(o *options, tl *timeline, q *mpscQueue, r *room) {
	wk.time, wk.queue, wk.room = tl, q, r
	wk.guarded.queue, wk.guarded.wanted, wk.guarded.time = q, &wk.wanted, tl
	wk.wanted.Store(notWanted)
	wk.guarded.wheel.init(tl.tickLen, o.wheelSize)
	wk.guarded.batch = make([]*Timeout, 0, batchSize)
	wk.guarded.lists = make([]*Timeout, 0, 4*len(q.stripes)) // what grows under the lock may have to wait for the collector
	wk.out.init(o, &wk.late)
	wk.woken.Store(noTick)
	wk.wake = make(chan struct{}, 1)
	wk.quit = make(chan struct{})
	wk.alarm, wk.starter = time.NewTimer(math.MaxInt64), time.AfterFunc(math.MaxInt64, wk.live)
	wk.alarm.Stop()
	wk.starter.Stop()
	if c, ok := tl.clock.(*ManualClock); ok {
		c.attach(wk) // Advance does the worker's part: it stays awake forever
	} else {
		wk.status.Store(absent)
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
		wk.awaitNextTick(noTick)
	}
	wk.interrupted = false
	for {
		tick, filed, more := wk.pass()
		if more {
			continue
		}
		next, status := wk.park(tick, filed > 0)
		if status == absent {
			return
		}
		woken := wk.sleepUntil(next)
		if woken && status == asleep {
			wk.awaitNextTick(next)
		}
	}
}

func (wk *worker) awaitNextTick(atMost int64) {
	now := wk.thisTick()
	wk.woken.Store(now)
	wk.sleepUntil(min(now+1, atMost))
}

func (wk *worker) thisTick() int64 { return wk.time.tickAt(wk.time.now()) }

// pass files the round, which is everything that is queued when the pass begins, and hands out the timeouts
// that are due at the current tick, between two parts of a long round also. There is more to do at once if
// a crowd is in hand, or the pass has outlasted the tick: a new round must not wait for all due timeouts.
func (wk *worker) pass() (tick int64, filed int, more bool) {
	tick = wk.thisTick()
	g := &wk.guarded
	if len(g.batch) > 0 {
		wk.handOut(tick) // the rest of a batch in which a task ended the goroutine, or the Advance
	}
	if g.beginPass(wk.slept, tick) {
		tick = wk.thisTick() // the first reading may be stale: it waited for the lock
		g.turnBack(tick)
	}
	for left := true; left; {
		var n int
		n, left = wk.drain()
		filed += n
		for g.takeDue(tick) {
			if wk.time.tickAt(wk.handOut(tick)) > tick {
				return tick, filed, true
			}
		}
	}
	return tick, filed, g.thin()
}

// drain files the round for at most half a tick or two milliseconds, and reports whether any of it may be left. As many
// timeouts may wait as it files in that time: a fixed number was too many on many processors, or too few on two.
func (wk *worker) drain() (n int, left bool) {
	enough := min(time.Duration(wk.time.tickLen/2), 2*time.Millisecond)
	begun, took := time.Now(), time.Duration(0)
	for left = true; left && n < limits.Drain && took <= enough; {
		k := wk.guarded.fileRound(portion)
		n += k
		left = k == portion
		took = time.Since(begun)
	}
	may := int(min(limits.Most, int64(n)*int64(enough)/int64(took+1)))
	if n >= portion || may > int(wk.queue.flooded.Load())*len(wk.queue.stripes) { // not lowered by a few: that would last
		wk.queue.admit(may)
	}
	return n, left
}

// handOut gives each timeout of the batch its turn: a timeout that still is pending and due expires.
// It runs user code, and returns the time at which the last timeout had its turn.
func (wk *worker) handOut(tick int64) (now int64) {
	all := wk.guarded.batch
	if wk.turn == len(all) {
		now = wk.time.now()
	}
	if wk.out.executor != nil {
		wk.wanted.Store(notWanted) // user code may block the worker
	}
	for due := tick * wk.time.tickLen; wk.turn < len(all); {
		if wk.time.mayStep || wk.turn == len(all)-1 {
			now = wk.time.now()
			due = min(due, now) // a task may have set the clock back
		}
		t := all[wk.turn]
		wk.turn++
		t.checkInBatch()
		if t.claim(due) {
			wk.expired++
			wk.room.release(1)
			wk.out.execute(t)
		}
		if wk.time.mayStep {
			wk.out.crews.Launch(now + patienceNs) // before the user's clock is read again
		}
	}
	wk.out.crews.Launch(now + patienceNs)
	if len(all) > 0 {
		wk.guarded.settle(wk.expired, now)
	}
	wk.turn, wk.expired = 0, 0
	return now
}

// park decides until which tick the worker sleeps after a pass, and in which status; absent is the end. It
// publishes the status, then looks at the queue; a producer pushes, then looks at the status: one sees the
// other. One hold of the lock, since between two a drain elsewhere could take an arming out of the queue.
func (wk *worker) park(tick int64, isBusy bool) (next int64, status int32) {
	now := wk.thisTick()
	g := &wk.guarded
	g.lockFirst()
	defer g.Unlock()
	switch {
	case g.stopped:
		wk.wanted.Store(notWanted)
		return tick, absent
	case g.wheel.isAhead(now):
		return now, awake // pass at once
	case isBusy, len(g.lists) > 0: // lists: of another goroutine's drain
		return tick + 1, awake
	}
	g.passing = false
	wk.woken.Store(noTick)
	next, status = g.wheel.wake(), asleep
	if next == noTick {
		status = absent
		wk.wanted.Store(notWanted) // before another worker can begin
	}
	wk.status.Store(status)
	if !wk.queue.empty() && wk.status.CompareAndSwap(status, awake) {
		return tick + 1, awake
	}
	return next, status
}

// sleepUntil returns when a tick begins, a token arrives or the timer stops; it reports a token.
func (wk *worker) sleepUntil(tick int64) (woken bool) {
	wk.slept = tick
	alarm, begun := wk.setAlarm(tick)
	if !begun {
		select {
		case <-alarm:
		case <-wk.quit:
		case <-wk.wake:
			woken = true
		}
		wk.wakeups.Add(1)
	}
	wk.status.Store(awake)
	return woken
}

// setAlarm returns a channel that receives when a tick begins, or reports that it has begun.
func (wk *worker) setAlarm(tick int64) (alarm <-chan time.Time, begun bool) {
	now := wk.time.now()
	wait := time.Duration(tick*wk.time.tickLen - now)
	switch {
	case wait <= 0:
		return nil, true
	case !wk.time.isSystem:
		return wk.alarmOf(tick, now)
	}
	wk.alarm.Reset(wait)                               // the alarm may still run: a timer that nobody waits for costs nothing
	wk.wanted.Store(tick*wk.time.tickLen + patienceNs) // the system's clock only: a user's alarm may never ring
	return wk.alarm.C, false
}

// alarmOf returns an alarm of the user's clock. If the clock has moved on between Now and After, the
// alarm will be late by as much, and is replaced once. A clock that moves on each time makes itself late.
func (wk *worker) alarmOf(tick, now int64) (alarm <-chan time.Time, begun bool) {
	at := tick * wk.time.tickLen
	alarm = wk.time.clock.After(time.Duration(at - now))
	again := wk.time.now()
	switch {
	case again-now < wk.time.tickLen/8:
		return alarm, false
	case at > again:
		return wk.time.clock.After(time.Duration(at - again)), false
	}
	return nil, true
}

// unpark makes sure that the worker will look at the queue: the slow part of push.
func (wk *worker) unpark() {
	if wk.status.CompareAndSwap(asleep, awake) {
		select {
		case wk.wake <- struct{}{}:
		default: // there is a token already
		}
		return
	}
	wk.time.checkBubble() // the starter would run on the bubble's time
	wk.out.Enter()        // before the CAS, so that Stop, which ends it, sees one or the other
	if wk.status.CompareAndSwap(absent, awake) {
		wk.starter.Reset(0)
	} else {
		wk.out.Leave()
	}
}

// relieve makes the producer of t, whose stripe is deep, drop stopped timeouts or file a portion; if the
// stripe is flooded, it waits for the lock to do so. A worker that waits goes first.
func (wk *worker) relieve(t *Timeout, how pushed) {
	s := wk.queue.stripeOf(t)
	enough := how == littered && wk.queue.comb(s)
	now := int64(0)
	if !wk.time.mayStep { // the caller of Stop may hold a lock that a user's clock takes
		now = wk.time.read()
	}
	switch {
	case !enough && s.depth.Load() >= wk.queue.flooded.Load():
		wk.turnstile.Lock()
		defer wk.turnstile.Unlock()
		if s.depth.Load() >= wk.queue.flooded.Load() {
			wk.guarded.help(t, wk.turnable(now))
		}
	case wk.wanted.Load() <= now:
		runtime.Gosched()
	case !enough:
		helped, at := wk.guarded.tryHelp(t, wk.turnable(now)), wk.yieldAt.Load()
		mayYield := !helped && at <= now && wk.wanted.Load() != notWanted // user code may run, and be this very producer
		if mayYield && wk.yieldAt.CompareAndSwap(at, now+yieldNs) {
			runtime.Gosched() // of all producers one in 100 µs, since this takes a lock of the whole scheduler
		}
	}
}

// drainAll drains, and returns the earliest tick at which any timeout may be due, and how many are pending.
func (wk *worker) drainAll() (next int64, pending int) {
	wk.time.checkMade()
	return wk.guarded.drainAll(wk.turnable(wk.time.now()))
}

// turnable returns the tick to which others may turn the wheel: none after that in which the worker was woken.
func (wk *worker) turnable(now int64) int64 { return min(wk.time.tickAt(now), wk.woken.Load()) }

// passOnce is the worker's part as ManualClock.Advance does it.
func (wk *worker) passOnce() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	wk.slept = wk.thisTick()
	wk.pass()
}

// finishOnce hands out the rest of a batch in which a task panicked.
func (wk *worker) finishOnce() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	wk.handOut(wk.thisTick())
}
