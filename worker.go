package hashedwheel

import (
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// worker files queued timeouts and hands out due ones. One goroutine at a time runs it: one that the alarm has started,
// or the caller of ManualClock.Advance.
type worker struct {
	// Its neighbors in the Timer; read only once New has returned.
	time    *timeline
	alarm   *alarm
	quota   *quota
	guarded *guarded
	out     *runner

	_ [128]byte // callers touch the fields above at each push, the worker alone those below

	wakeups  atomic.Uint64 // for Stats, as the next
	lateness lateness
}

func (wk *worker) init(tm *Timer) {
	wk.time, wk.alarm, wk.quota, wk.guarded, wk.out = &tm.time, &tm.alarm, &tm.quota, &tm.guarded, &tm.out
	if c, ok := tm.time.clock.(*ManualClock); ok {
		c.attach(wk)
	}
}

// work passes until nothing is due, then gives the role away. If user code ends the goroutine by runtime.Goexit,
// another goroutine goes on.
func (wk *worker) work() {
	gone := false
	defer func() {
		if !gone {
			wk.alarm.start(wk.work)
		}
	}()
	tick := wk.time.thisTick()
	next, isDue := wk.alarm.begin(tick)
	if isDue {
		wk.wakeups.Add(1)
		for again := true; again; {
			wk.out.crews.Launch()
			tick, again = wk.pass()
		}
		next = wk.guarded.nextWork()
	}
	run := wk.out.crews.Keep() // while nobody else may use the crews
	wk.alarm.rest(tick, next)
	gone = true
	if run != nil {
		run() // and leaves
	} else {
		wk.out.Leave()
	}
}

// pass hands out the timeouts that are due at the current tick. If the queue is to be looked at by now, it files its
// intake first, everything that is queued when the pass begins; if that takes long, it hands out in between. The worker
// passes again at once if a crowd is open, or if the pass has outlasted the tick: a new intake must not wait until a
// million timeouts are handed out.
func (wk *worker) pass() (tick tick, again bool) {
	g := wk.guarded
	tick = wk.time.thisTick()
	if !g.batch.isEmpty() { // the rest of one in which a task ended the goroutine, or made Advance panic
		wk.handOut(tick)
	}
	g.beginPass(tick)
	due := wk.time.ticks.start(tick)
	for isFiled := false; !isFiled; {
		wk.out.crews.Launch()
		isFiled = wk.fileIntake()
		for g.takeDue(tick) {
			now := wk.handOut(tick)
			if now >= due+int64(wk.time.slack) {
				return tick, true
			}
		}
	}
	wk.alarm.passed(tick)
	return tick, g.thin()
}

// fileIntake files the intake for at most half a tick or two milliseconds, and reports whether all of it is filed.
func (wk *worker) fileIntake() (isFiled bool) {
	enough := min(wk.time.slack/2, 2*time.Millisecond) // what due timeouts may wait for it
	n := 0
	for begun := time.Now(); n < limits.Drain && time.Since(begun) <= enough; {
		k := wk.guarded.fileIntake(portion)
		n += k
		if k < portion {
			return true
		}
	}
	return false
}

// handOut gives each timeout of the batch its turn: one that still is pending and due expires. It reads the clock at
// first, and again whenever user code has run on this goroutine, and returns the last reading.
func (wk *worker) handOut(tick tick) (now int64) {
	wk.out.crews.Launch()
	batch := &wk.guarded.batch
	if !batch.isEmpty() { // all of a portion may have been moved
		wk.alarm.last = tick
	}
	due := wk.time.ticks.start(tick)
	past := wk.time.ticks.start(wk.alarm.earliest - 1) // an earlier deadline was over when it was set
	now = wk.time.now()
	for t := batch.next(); t != nil; t = batch.next() {
		if !t.isAt(batch.given - 1) {
			wk.guarded.misusedInBatch(t)
		}
		if claimed, ok := t.claim(due); ok {
			wk.quota.release(1)
			wk.lateness.note(now - max(claimed.deadline(), past))
			isUsers := wk.out.execute(t)
			if isUsers {
				now = wk.time.now()
			}
		}
	}
	if !wk.time.isSystem {
		wk.out.crews.Launch() // rest calls the user's clock, and who calls Advance runs no tasks of the default
	}
	if !batch.isEmpty() {
		wk.guarded.settle()
	}
	return now
}

// advance is what ManualClock.Advance has the worker do.
func (wk *worker) advance() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	tick := wk.time.thisTick()
	wk.alarm.earliest = tick
	wk.alarm.nextWake.Store(int64(tick))
	wk.pass()
}
