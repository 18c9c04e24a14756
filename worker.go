package hashedwheel

import (
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// worker files queued timeouts and dispatches due ones. One goroutine at a time runs it: one that the alarm or its
// predecessor has started, or the caller of ManualClock.Advance.
type worker struct {
	// Its neighbors in the Timer; read only once New has returned.
	time    *timeline
	alarm   *alarm
	guarded *guarded
	out     *runner

	_ [128]byte // between the alarm, which callers touch at each push, and the fields that only the worker writes

	batch      []expired     // an empty slice with room for a batch
	continued  func()        // work as a func, so that a go statement allocates nothing; set by init, then read only
	calls      atomic.Int32  // of wake that no run has answered; while there are any, one goroutine is the worker
	inRun      atomic.Bool   // a run has begun, and has not ended; perhaps another goroutine continues it
	isBusy     bool          // this run has taken timeouts from the queue
	taken      int64         // ns: when the intake was taken that is being filed; 0 if there is none
	dispatched bool          // this run has dispatched a task
	wakeups    atomic.Uint64 // for Stats, like the next
	lateness   lateness
}

func (wk *worker) init(tm *Timer) {
	wk.time, wk.alarm, wk.guarded, wk.out = &tm.time, &tm.alarm, &tm.guarded, &tm.out
	wk.batch, wk.continued = make([]expired, 0, limits.Batch), wk.work
	if tm.out.executor != nil {
		wk.batch = make([]expired, 0, 1) // until a task is dispatched, tasks before it may stop or move its timeout
	}
	if c := tm.time.manual; c != nil {
		c.attach(wk)
	}
}

// wake is called by a time.Timer, in a goroutine that inherits no profiler labels or modes. If another goroutine is the
// worker, it runs once more.
func (wk *worker) wake() {
	wk.out.Enter() // first, so that Shutdown waits for it even after StopAll
	if wk.calls.Add(1) > 1 {
		wk.out.Leave()
		return
	}
	wk.work()
}

// work runs until all calls are answered. If tasks wait while an intake is filed, this goroutine runs them, and a new
// one continues the run. If user code ends the goroutine by runtime.Goexit, another one continues.
func (wk *worker) work() {
	gone := false
	defer func() {
		if !gone {
			wk.restart()
		}
	}()
	for {
		calls, isRest := wk.calls.Load(), wk.inRun.Load()
		wk.run()
		kept := wk.out.crews.Keep() // before another goroutine may be the worker, and use the crews
		if kept != nil && wk.inRun.Load() {
			gone = true
			wk.out.Enter()
			go wk.continued()
			kept() // it calls Leave at its end
			return
		}
		if !isRest && !wk.inRun.Load() && wk.calls.CompareAndSwap(calls, 0) {
			gone = true
			if kept != nil {
				kept()
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

// restart calls work in a time.Timer's goroutine, which inherits no profiler labels or modes of the caller's. In a
// bubble it inherits them: a timer that fires at once crashes the race detector there (golang/go#78156).
func (wk *worker) restart() {
	if wk.time.isInBubble() {
		go wk.work()
		return
	}
	time.AfterFunc(0, wk.work)
}

// run makes passes until nothing is due, and has the alarm set the next run. It returns in the middle if tasks wait
// while an intake is filed. If a task has cut the last run short, the first pass is the rest of that run, and takes
// nothing from the queue: its tasks may have armed themselves again at once, and the run would never end.
func (wk *worker) run() {
	takes := !wk.inRun.Load()
	if takes {
		if !wk.alarm.begin(wk.time.now()) {
			return
		}
		wk.wakeups.Add(1)
		wk.isBusy, wk.dispatched = false, false
	}
	wk.inRun.Store(true)
	for again := true; again; {
		wk.out.crews.Launch()
		again = wk.pass(takes)
		takes = true
		if wk.taken > 0 && wk.out.crews.HasTasks() {
			return
		}
	}
	wk.inRun.Store(false)
	wk.alarm.rest(wk.guarded.nextWork(), wk.isBusy, wk.dispatched)
}

// runsAt returns the time at which the run in progress, or else the next, was due; maxDeadline if there is neither.
func (wk *worker) runsAt() int64 {
	if wk.inRun.Load() || wk.time.manual != nil {
		return wk.alarm.last.Load()
	}
	return wk.alarm.putOff(wk.alarm.load().next())
}

// pass dispatches the timeouts that are due now. It first takes and files the intake, and dispatches in between if that
// takes long. again is true if the pass has thinned a crowd, has outlasted a tick, or has tasks before all is filed: a
// new intake must not wait until a million timeouts are dispatched, nor due timeouts until a million are filed.
func (wk *worker) pass(takes bool) (again bool) {
	g, begun := wk.guarded, wk.time.now()
	since := min(wk.alarm.from, wk.alarm.load().next())
	if g.beginPass(begun, since, takes) {
		wk.isBusy, wk.taken = true, begun
	}
	now := begun
	for isFiled := false; !isFiled; {
		isFiled = wk.fileIntake()
		if isFiled && wk.taken > 0 {
			wk.alarm.far.isLong.Store(wk.time.now()-wk.taken > linger/4)
			wk.taken = 0
		}
		for {
			batch, more := g.takeDue(wk.batch)
			if !more {
				break
			}
			wk.dispatch(batch, now)
			now = wk.time.now()
			if now >= begun+wk.time.tick {
				return true
			}
		}
		if !isFiled && (wk.out.crews.HasTasks() || wk.time.now() >= begun+wk.time.tick) {
			return true
		}
	}
	return g.thin()
}

// fileIntake files a part of the intake, for half a tick or two milliseconds at most, and reports whether all is filed.
func (wk *worker) fileIntake() (isFiled bool) {
	enough := time.Duration(min(wk.time.tick/2, int64(2*time.Millisecond))) // due timeouts wait for no longer
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

// dispatch gives the tasks of a batch to the executor. now is the time before they were claimed. A deadline that had
// passed when it was set, as by ResetAt to yesterday, makes nothing late: it counts from the tick before the run.
func (wk *worker) dispatch(batch []expired, now int64) {
	wk.out.crews.Launch()
	wk.dispatched = wk.dispatched || len(batch) > 0
	oldest := wk.alarm.last.Load() - wk.time.tick
	for i, e := range batch {
		batch[i].timeout = nil // let the collector have it
		wk.lateness.note(now - max(e.deadline, oldest))
		wk.out.execute(e.timeout)
	}
}

// advance is a run of the worker in ManualClock.Advance.
func (wk *worker) advance() {
	wk.out.Enter()
	defer wk.out.Leave() // deferred: a task may panic
	defer wk.out.crews.Launch()
	wk.alarm.last.Store(wk.time.now())
	wk.pass(true)
}
