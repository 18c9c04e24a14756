package hashedwheel

import (
	"sync/atomic"
	"time"
)

// alarm schedules the runs of the worker. No goroutine waits for the next run: a waker starts one. One goroutine at a
// time is the worker. It hands over by one CAS of the word, after it has set a waker for everything filed or queued.
//
//	status   who is the worker                        who may touch nextWake, waker, and the last three
//	asleep   nobody; a waker is set for nextWake      nobody
//	awake    one goroutine                            that goroutine
//	woken    one, and a waker has fired since         that goroutine
//	ended    nobody, forever                          the goroutine that was the worker, or else Timer.Stop
//
//	             a waker, or a producer               a waker
//	asleep ──────────────────────────────▶ awake ─────────────────▶ woken
//	       ◀────────────────────────────── awake ◀───────────────── woken
//	                  rest                              rest
//
// A queued timeout counts like a filed one. A producer pushes, then lowers due to its deadline, and is the worker if
// that made the status awake; a pass raises due, then takes the queue. So the worker, when it hands over, has seen the
// push in the queue or in due, or its CAS fails. verify/spin/alarm.pml checks the interleavings.
type alarm struct {
	word     atomic.Int64 // an alarmWord
	nextWake atomic.Int64 // the tick of the next run, or of the run in progress; noTick: none. Stats reads it
	overdue  atomic.Int64 // a caller that reads a later time, in ns, wakes the worker; notOverdue during passes

	// set by init, then read only
	time  *timeline
	out   *runner
	far   *farLane
	work  func()      // worker.work
	waker waker       // nil on a ManualClock
	extra *time.Timer // fires for callers; after New only Reset is called, at any time

	earliest tick // nextWake before setFor rounded it up; when it was set, nothing was due earlier
	allowed  tick // setFor rounds an earlier tick up to a whole Tick
	free     tick // of the last run that did not count, see count
}

// alarmWord is one value of alarm.word: due, in ns, and two bits of status. The pass of the first tick after due must
// take the queue. Producers round due down to a tick, so calls with ever earlier deadlines change the word only once a
// tick.
type alarmWord int64

const (
	alarmAsleep alarmWord = iota
	alarmAwake
	alarmWoken
	alarmEnded

	alarmShift = 2
	alarmMask  = 1<<alarmShift - 1

	noDue = 1 << 60 // later than every deadline: nothing is queued
	past  = -1      // earlier than every deadline: no call lowers it

	// A timer puts the goroutine that it starts at the front of its P's queue. Another that becomes ready kicks it to
	// the end, where it waits for up to a second on a busy machine. So a caller wakes a worker that is overdue by this
	// much.
	overdueAfter = int64(time.Millisecond)
	notOverdue   = 1<<63 - 1

	burst = 10 // in Ticks: the worker saves up to this many runs while it rests

	// The queue is taken within this time of a push, however far away the deadline: the queue holds stopped timeouts,
	// and their memory. gRPC core takes 10 ms to 1 s for the same, Kafka's linger.ms 200 ms, .NET 333 ms.
	linger = 50 * time.Millisecond
)

func alarmWordFor(due int64, status alarmWord) alarmWord {
	return alarmWord(due<<alarmShift) | status
}

func (w alarmWord) due() int64        { return int64(w >> alarmShift) }
func (w alarmWord) status() alarmWord { return w & alarmMask }

func (a *alarm) load() alarmWord { return alarmWord(a.word.Load()) }

func (a *alarm) cas(old, new alarmWord) bool { return a.word.CompareAndSwap(int64(old), int64(new)) }

func (a *alarm) wakesAt() tick { return tick(a.nextWake.Load()) }

func (a *alarm) init(tl *timeline, out *runner, far *farLane, work func()) {
	a.time, a.out, a.far, a.work = tl, out, far, work
	a.nextWake.Store(int64(noTick))
	a.overdue.Store(notOverdue)
	a.word.Store(int64(alarmWordFor(noDue, alarmAsleep)))
	a.earliest, a.free = noTick, -tl.ticks.of(int64(linger))
	switch {
	case tl.isManual:
		a.word.Store(int64(alarmWordFor(noDue, alarmAwake))) // the caller of Advance is always the worker
	case tl.isSystem:
		a.waker = newWakers(tl, a.wake)
		a.extra = newTimer(a.wake)
	default:
		a.waker = &clockWaker{time: tl, out: out, woken: a.woken}
	}
}

// announce makes sure that the queue is taken in time for t. The caller has pushed t, or has changed t while it was
// queued, perhaps in the far lane.
func (a *alarm) announce(t *Timeout, mayBeFar bool) {
	w := t.load() // again: another goroutine may have armed t for an earlier time
	deadline := w.deadline()
	if w.state() != Pending {
		deadline = maxDeadline // stopped: only its memory waits
	}
	if mayBeFar && deadline <= a.far.due.Load() {
		a.far.lower(a.before(deadline)) // in this order: a pass raises the word's due first
	}
	if deadline <= a.load().due() {
		a.expect(deadline)
	}
}

// dueNow has the near lane taken at the next tick. In a foreign bubble it does nothing: Timeout.Stop, which may call
// it, is allowed there.
func (a *alarm) dueNow() {
	if a.load().due() > 0 && !a.time.isInside() {
		a.expect(0)
	}
}

// expect is the slow part of announce. On a user's clock it starts another goroutine as the worker, since the caller
// may hold a lock that the clock takes. That goroutine is counted before it starts, so that Shutdown waits for it.
func (a *alarm) expect(deadline int64) {
	if deadline == maxDeadline && a.time.isInside() {
		return // Timeout.Stop is allowed in any bubble, and the memory can wait
	}
	a.time.checkBubble() // before due is lowered: if a program recovers the panic, the next call lowers due
	due := a.before(deadline)
	if !a.time.isUsers {
		tick := a.time.thisTick() // before this goroutine is the worker, and may lose its processor
		if a.lower(due) {
			a.rest(tick, a.earliest)
		}
		return
	}
	a.out.Enter()
	if a.lower(due) {
		a.start(a.work)
	} else {
		a.out.Leave()
	}
}

// before returns the start of the tick before the tick of a deadline.
func (a *alarm) before(deadline int64) int64 {
	return a.time.ticks.start(max(0, a.time.ticks.of(deadline)-1))
}

// lower makes due no later than a time, and reports whether the caller is the worker now.
func (a *alarm) lower(due int64) (isWorker bool) {
	for {
		w := a.load()
		if w.due() <= due {
			return false
		}
		status := w.status()
		if status == alarmAsleep {
			status = alarmAwake
		}
		if a.cas(w, alarmWordFor(due, status)) {
			return w.status() == alarmAsleep
		}
	}
}

// rest ends the caller's time as the worker. seen is the last tick that the caller has read: a timeout of a later tick
// is not late yet. next is the tick at which a filed timeout is due.
func (a *alarm) rest(seen, next tick) {
	for {
		w := a.load()
		switch w.status() {
		case alarmEnded:
			a.stop()
			return
		case alarmWoken: // in this order: a waker that fires after the CAS leaves woken again
			if a.cas(w, w-alarmWoken+alarmAwake) {
				a.waker.forget(a.time.thisTick())
			}
			continue
		}
		due := w.due()
		if due != noDue {
			due = min(due, a.lingers(seen))
			next = min(next, max(seen, a.time.ticks.at(due))+1)
		}
		if next >= a.time.ticks.never {
			next = noTick // no clock reaches that tick
		}
		a.setFor(next)
		if a.cas(w, alarmWordFor(due, alarmAsleep)) {
			return // and touch nothing: another goroutine may be the worker
		}
	}
}

// setFor sets a waker for a tick, or for the next whole Tick if the worker has run more than once a Tick lately. So
// timeouts are on time where few expire, and where many do the worker runs once a Tick.
func (a *alarm) setFor(next tick) {
	a.earliest = next
	if next < a.allowed {
		next = a.time.ticks.roundUp(next)
	}
	a.nextWake.Store(int64(next))
	if next == noTick {
		a.waker.unset()
		return
	}
	a.waker.set(next)
	if a.extra != nil {
		a.overdue.Store(a.time.ticks.start(next) + overdueAfter)
	}
}

// count counts a run against the rate of one a Tick, by the tick at which it was due: a run that is woken late leaves
// no less time until the next. (The generic cell rate algorithm, ITU-T I.371.) On a user's clock, where calls that arm
// start runs, the debt is limited too, so that the next lone timeouts are on time. Once per linger, a run that
// dispatches nothing, as at the end of the linger, is free: with a Tick longer than the linger such runs alone would
// use up the rate.
func (a *alarm) count(dispatched bool) {
	due, whole := a.wakesAt(), a.time.ticks.whole
	if !dispatched && due-a.free >= a.time.ticks.of(int64(linger)) {
		a.free = due
		return
	}
	a.allowed = min(max(a.allowed, due-burst*whole)+whole, due+burst*whole)
}

// lingers returns the latest due for a queue that is not taken at a tick.
func (a *alarm) lingers(tick tick) (due int64) {
	return a.time.ticks.start(tick + a.time.ticks.of(int64(linger)) - 1)
}

// wakeOverdue is for a caller that has read the clock and found the worker overdue. It resets a timer, which fires once
// the caller leaves its P. It does not use a go statement, since the next goroutine that the caller readies would kick
// the worker from the front of the P's queue. The worker may be woken late, and twice for one setting.
func (a *alarm) wakeOverdue(now int64) {
	at := a.overdue.Load()
	if now > at && a.overdue.CompareAndSwap(at, now+2*overdueAfter) {
		a.extra.Reset(1) // 1: see start
	}
}

// wake is called by a time.Timer, in a goroutine that inherits no profiler labels or modes.
func (a *alarm) wake() {
	a.out.Enter() // before it is the worker, so that Shutdown waits for it even after Stop
	a.woken()
}

// woken is wake for a goroutine that is already counted.
func (a *alarm) woken() {
	if a.answer() {
		a.work()
	} else {
		a.out.Leave()
	}
}

// answer reports whether the caller, which a waker has started, is the worker now. If another goroutine is the worker,
// that goroutine finds the status woken in rest.
func (a *alarm) answer() (isWorker bool) {
	for {
		w := a.load()
		switch w.status() {
		case alarmAsleep:
			if a.cas(w, w-alarmAsleep+alarmAwake) {
				return true
			}
		case alarmAwake:
			if a.cas(w, w-alarmAwake+alarmWoken) {
				return false
			}
		default:
			return false
		}
	}
}

// begin starts a run of the worker, and reports whether a pass is due at a tick. If not, the waker was set for a
// timeout that has since been stopped or moved, or a caller woke the worker earlier; earliest is then the tick at which
// a timeout is due. On a user's clock a pass is always due: the producer that started it could not read the tick.
func (a *alarm) begin(tick tick) (earliest tick, isDue bool) {
	a.waker.forget(tick)
	if a.time.isUsers {
		a.earliest = min(a.earliest, tick)
		a.nextWake.Store(int64(min(a.wakesAt(), tick)))
	}
	isDue = a.wakesAt() <= tick
	if isDue {
		a.overdue.Store(notOverdue)
	}
	return a.earliest, isDue
}

// raise reports whether the queue is due at a tick. If so, it raises due to noDue, and the caller, the worker, must
// take the queue: a push that it does not find lowers due after this. Otherwise the queue is taken at due, or after the
// linger if that ends earlier: passes may run back to back for seconds.
func (a *alarm) raise(tick tick) bool {
	now, lingers := a.time.ticks.start(tick), a.lingers(tick)
	for {
		w := a.load()
		if w.due() == noDue || w.status() == alarmEnded {
			return false
		}
		isDue := w.due() < now
		next := alarmWordFor(noDue, w.status())
		if !isDue {
			next = alarmWordFor(min(w.due(), lingers), w.status())
		}
		if next == w || a.cas(w, next) {
			return isDue
		}
	}
}

// start calls f in a time.Timer's goroutine, which inherits no profiler labels or modes of the caller's. In a bubble it
// inherits them: a timer that fires at once crashes the race detector there (golang/go#78156).
func (a *alarm) start(f func()) {
	if a.time.isInBubble() {
		go f()
		return
	}
	time.AfterFunc(0, f)
}

// silence is called by Timer.Stop. If a goroutine is the worker, it finds the status ended in rest, and stops the
// wakers there.
func (a *alarm) silence() {
	was := alarmWord(a.word.Swap(int64(alarmWordFor(past, alarmEnded))))
	if was.status() == alarmAsleep {
		a.stop()
	}
}

func (a *alarm) stop() {
	a.waker.unset()
	a.overdue.Store(notOverdue)
}
