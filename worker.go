package hashedwheel

import (
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// worker files queued timeouts and dispatches due ones. One goroutine at a time runs it: one that the alarm has
// started, or the caller of ManualClock.Advance.
type worker struct {
	// Its neighbors in the Timer; read only once New has returned.
	time    *timeline
	alarm   *alarm
	quota   *quota
	guarded *guarded
	out     *runner

	_ [128]byte // between the alarm, which callers touch at each push, and the fields that only the worker writes

	batch      []expired     // an empty slice with room for a batch
	dispatched bool          // a task in this run
	farTaken   int64         // ns: when the intake was taken, if the far lane is part of it, otherwise 0
	wakeups    atomic.Uint64 // for Stats, like the next
	lateness   lateness
}

func (wk *worker) init(tm *Timer) {
	wk.time, wk.alarm, wk.quota, wk.guarded, wk.out = &tm.time, &tm.alarm, &tm.quota, &tm.guarded, &tm.out
	wk.batch = make([]expired, 0, batchSize)
	if tm.out.executor != nil {
		wk.batch = make([]expired, 0, 1) // until a task is dispatched, tasks before it may stop or move its timeout
	}
	if c, ok := tm.time.clock.(*ManualClock); ok {
		c.attach(wk)
	}
}

// work makes passes until nothing is due, then hands over. If user code ends the goroutine by runtime.Goexit, another
// goroutine continues.
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
		wk.alarm.count(wk.dispatched)
		wk.dispatched = false
	}
	run := wk.out.crews.Keep() // before rest: then another goroutine may be the worker, and use the crews
	wk.alarm.rest(tick, next)
	gone = true
	if run != nil {
		run() // it calls Leave at its end
	} else {
		wk.out.Leave()
	}
}

// pass dispatches the timeouts that are due at the current tick. If the queue is due, it first files the intake, and
// dispatches in between if that takes long. again is true if a crowd is open, or if the pass has outlasted the Tick: a
// new intake must not wait until a million timeouts are dispatched.
func (wk *worker) pass() (tick tick, again bool) {
	g, now := wk.guarded, wk.time.now() // before the claims: a user's clock may end the goroutine
	tick = wk.time.ticks.at(now)
	if g.beginPass(tick) {
		wk.farTaken = wk.time.now()
	}
	due := wk.time.ticks.start(tick)
	for isFiled := false; !isFiled; {
		wk.out.crews.Launch()
		isFiled = wk.fileIntake()
		if isFiled && wk.farTaken > 0 {
			wk.alarm.far.isLong.Store(wk.time.now()-wk.farTaken > int64(linger/4))
			wk.farTaken = 0
		}
		for {
			batch, more := g.takeDue(tick, wk.batch)
			if !more {
				break
			}
			wk.dispatch(batch, now)
			now = wk.time.now()
			if now >= due+int64(wk.time.slack) {
				return tick, true
			}
		}
	}
	return tick, g.thin()
}

// fileIntake files the intake for at most half a Tick or two milliseconds, and reports whether all of it is filed.
func (wk *worker) fileIntake() (isFiled bool) {
	enough := min(wk.time.slack/2, 2*time.Millisecond) // due timeouts wait for no longer
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

// expired is a claimed timeout with the deadline that it had: it may have been armed again.
type expired struct {
	timeout  *Timeout
	deadline int64
}

const batchSize = limits.Batch

// dispatch gives the tasks of a batch to the executor. now is the time before they were claimed.
func (wk *worker) dispatch(batch []expired, now int64) {
	wk.out.crews.Launch()
	wk.dispatched = wk.dispatched || len(batch) > 0 // it is empty if all of a portion were moved
	wk.quota.release(len(batch))
	oldest := wk.time.ticks.start(wk.alarm.earliest - 1) // an earlier deadline had passed when it was set
	for i, e := range batch {
		batch[i].timeout = nil // let the collector have it
		wk.lateness.note(now - max(e.deadline, oldest))
		wk.out.execute(e.timeout)
	}
	if !wk.time.isSystem {
		// Now: rest calls the user's clock, which may block, and Advance runs no task of the default executor itself.
		wk.out.crews.Launch()
	}
}

// advance is a run of the worker in ManualClock.Advance.
func (wk *worker) advance() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	tick := wk.time.thisTick()
	wk.alarm.earliest = tick
	wk.alarm.nextWake.Store(int64(tick))
	wk.pass()
}
