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

	batch    []expired     // an empty slice with room for a batch
	calls    atomic.Int32  // of wake that no run has answered; while there are any, one goroutine is the worker
	due      atomic.Int64  // the tick at which the run in progress, or the last, was due
	isBusy   bool          // this run has taken timeouts from the queue
	isCut    bool          // a task has ended the goroutine in the middle of a run
	wakeups  atomic.Uint64 // for Stats, like the next
	lateness lateness
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

// wake is called by a time.Timer, in a goroutine that inherits no profiler labels or modes. If another goroutine is the
// worker, it runs once more.
func (wk *worker) wake() {
	wk.out.Enter() // first, so that Shutdown waits for it even after Stop
	if wk.calls.Add(1) > 1 {
		wk.out.Leave()
		return
	}
	wk.work()
}

// work runs until all calls are answered. If user code ends the goroutine by runtime.Goexit, another goroutine
// continues.
func (wk *worker) work() {
	gone := false
	defer func() {
		if !gone {
			wk.alarm.start(wk.work)
		}
	}()
	for {
		calls, wasCut := wk.calls.Load(), wk.isCut
		wk.run()
		kept := wk.out.crews.Keep() // before another goroutine may be the worker, and use the crews
		if !wasCut && wk.calls.CompareAndSwap(calls, 0) {
			gone = true
			if kept != nil {
				kept() // it calls Leave at its end
			} else {
				wk.out.Leave()
			}
			return
		}
		if kept != nil {
			wk.out.Enter()
			go kept()
		}
	}
}

// run makes passes until nothing is due, and has the alarm set the next run.
func (wk *worker) run() {
	if !wk.isCut {
		due, isDue := wk.alarm.begin(wk.time.now())
		if !isDue {
			wk.alarm.rest(noTick, false)
			return
		}
		wk.due.Store(int64(due))
		wk.wakeups.Add(1)
	}
	wk.isCut, wk.isBusy = true, false
	for again := true; again; {
		wk.out.crews.Launch()
		again = wk.pass()
	}
	wk.isCut = false
	wk.alarm.rest(wk.guarded.nextWork(), wk.isBusy)
}

// runsAt returns the tick at which the run in progress, or else the next, was due.
func (wk *worker) runsAt() tick {
	if wk.calls.Load() > 0 {
		return tick(wk.due.Load())
	}
	return wk.alarm.wakesAt()
}

// pass dispatches the timeouts that are due at the current tick. It first files the intake, and dispatches in between
// if that takes long. again is true if a crowd is left, or if the pass has outlasted the Tick: a new intake must not
// wait until a million timeouts are dispatched.
func (wk *worker) pass() (again bool) {
	g, now := wk.guarded, wk.time.now() // before the claims: a user's clock may end the goroutine
	at := wk.time.ticks.at(now)
	if g.beginPass(at, tick(wk.due.Load())) {
		wk.isBusy = true
	}
	due := wk.time.ticks.start(at)
	for isFiled := false; !isFiled; {
		wk.out.crews.Launch()
		isFiled = wk.fileIntake()
		for {
			batch, more := g.takeDue(at, wk.batch)
			if !more {
				break
			}
			wk.dispatch(batch, now)
			now = wk.time.now()
			if now >= due+int64(wk.time.slack) {
				return true
			}
		}
	}
	return g.thin()
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
	wk.quota.release(len(batch))
	oldest := wk.time.ticks.start(tick(wk.due.Load()) - 1) // an earlier deadline had passed when it was set
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
	wk.due.Store(int64(wk.time.thisTick()))
	wk.pass()
}
