package hashedwheel

import (
	"sync/atomic"
	"time"
)

// alarm decides when the worker comes. No goroutine waits for that: package time starts the worker's. One goroutine at
// a time is the worker. It gives that role away by one CAS of the word, after it has set the alarm for all that is
// filed or queued.
//
//	status   who is the worker                    who may touch nextLook and bell
//	asleep   nobody; a bell is set for nextLook   nobody
//	awake    one goroutine                        that one
//	rung     one, and a bell has rung since       that one
//	ended    nobody, for good                     whoever was the worker, or else Timer.Stop
//
//	             a bell, or a producer                a bell
//	asleep ──────────────────────────────▶ awake ─────────────────▶ rung
//	       ◀────────────────────────────── awake ◀───────────────── rung
//	                  rest                              rest
//
// A queued timeout is due like a filed one. A producer pushes, then lowers due to its deadline, and is the worker if
// that made it awake; a pass raises due, then takes the queue. So whoever gives the role away has seen the push in the
// queue or in due, or its CAS fails. verify/spin/alarm.pml checks the interleavings.
type alarm struct {
	word     atomic.Int64 // a watch
	nextLook atomic.Int64 // the tick for which the worker is to come, or passes; noTick: none. Stats reads it
	overdue  atomic.Int64 // a caller who reads a later time than this, in ns, rings; notOverdue during passes
	farDue   atomic.Int64 // the far lane is to be taken by a look at a later time: lowered and raised as due is

	time    *timeline // this and the next three are init's, then read only
	out     *runner
	work    func() // worker.work
	nearFor int64  // ns: a timeout due sooner than this after the next look is near

	bell  bell        // rings for the worker; nil on a ManualClock
	extra *time.Timer // rings for callers; after New only Reset is called, at any time
}

// watch is one value of alarm.word: due, and two bits of status. The queue is to be looked at when the tick after due
// begins. due is the start of a tick, so that deadlines that fall by less than a tick from call to call lower it once.
type watch int64

const (
	asleep watch = iota
	awake
	rung
	ended

	watchShift = 2
	watchMask  = 1<<watchShift - 1

	noDue = 1 << 60 // later than every deadline: nothing is queued
	past  = -1      // earlier than every deadline, so that nobody lowers it

	// The goroutine that a bell starts can be kicked from the front of its processor's queue, by another that is made
	// ready at the same time. Where all processors are busy it then waits behind all others, for up to a second.
	overdueAfter = int64(time.Millisecond)
	notOverdue   = 1<<63 - 1

	// The queue is looked at within this time of a push, however late the timeout is due: the queue holds stopped
	// timeouts, and their memory. gRPC core takes 10 ms to 1 s for the same, Kafka 200 ms, .NET 333 ms.
	patience = 50 * time.Millisecond
)

func watchFor(due int64, status watch) watch { return watch(due<<watchShift) | status }

func (w watch) due() int64    { return int64(w >> watchShift) }
func (w watch) status() watch { return w & watchMask }

func (a *alarm) load() watch { return watch(a.word.Load()) }

func (a *alarm) cas(old, new watch) bool { return a.word.CompareAndSwap(int64(old), int64(new)) }

func (a *alarm) looksAt() tick { return tick(a.nextLook.Load()) }

func (a *alarm) init(tl *timeline, out *runner, work func()) {
	a.time, a.out, a.work = tl, out, work
	a.nearFor = 3 * (int64(patience) + tl.ticks.len)
	a.nextLook.Store(int64(noTick))
	a.overdue.Store(notOverdue)
	a.word.Store(int64(watchFor(noDue, asleep)))
	switch {
	case tl.isManual:
		a.word.Store(int64(watchFor(noDue, awake))) // Advance is the worker for good
	case tl.isSystem:
		a.bell = newBells(tl, a.ring)
		a.extra = newTimer(a.ring)
	default:
		a.bell = &userBell{time: tl, out: out, rang: a.rang}
	}
}

// lower makes due no later than a time, and reports whether the caller is the worker now.
func (a *alarm) lower(due int64) (isWorker bool) {
	for {
		w := a.load()
		if w.due() <= due {
			return false
		}
		status := w.status()
		if status == asleep {
			status = awake
		}
		if a.cas(w, watchFor(due, status)) {
			return w.status() == asleep
		}
	}
}

// raise reports whether the queue is to be looked at by now, the start of a tick. If so, due is noDue from then on, and
// the caller, the worker, must take the queue: a push that it does not find lowers due after this. Otherwise the queue
// is left alone until due, or for the patience if that ends earlier: passes may follow each other for seconds.
func (a *alarm) raise(tick tick) bool {
	now, patient := a.time.ticks.start(tick), a.patient(tick)
	for {
		w := a.load()
		if w.due() == noDue || w.status() == ended {
			return false
		}
		isDue := w.due() < now
		next := watchFor(noDue, w.status())
		if !isDue {
			next = watchFor(min(w.due(), patient), w.status())
		}
		if next == w || a.cas(w, next) {
			return isDue
		}
	}
}

// raiseFar reports whether the far lane is to be taken by a look at a tick. If so, the caller, who has raised due, must
// take it: whoever pushes to it, or has moved one of its timeouts, and is not found, lowers farDue after this.
func (a *alarm) raiseFar(tick tick) bool {
	isDue := a.farDue.Load() < a.time.ticks.start(tick)
	if isDue {
		a.farDue.Store(a.patient(tick))
	}
	return isDue
}

// patient returns when the queue is due at the latest, if it is left alone at a tick.
func (a *alarm) patient(tick tick) (due int64) {
	return a.time.ticks.start(tick + a.time.ticks.of(int64(patience)) - 1)
}

// answer reports whether a bell that has rung makes the caller the worker. If another goroutine is, that one finds out
// in rest.
func (a *alarm) answer() (isWorker bool) {
	for {
		w := a.load()
		switch w.status() {
		case asleep:
			if a.cas(w, w+awake) {
				return true
			}
		case awake:
			if a.cas(w, w-awake+rung) {
				return false
			}
		default:
			return false
		}
	}
}

// silence is Timer.Stop's. If a goroutine is the worker, that goroutine finds out in rest and stops the alarm there.
func (a *alarm) silence() {
	was := watch(a.word.Swap(int64(watchFor(past, ended))))
	if was.status() == asleep {
		a.stop()
	}
}

func (a *alarm) stop() {
	a.bell.unset()
	a.overdue.Store(notOverdue)
}

// isFar reports whether a timeout is due so far away that it may wait in the far lane. It reads no clock: now is mostly
// before the next look, and, where passes follow each other for seconds, before farDue. A wrong guess makes nothing
// late, see announce.
func (a *alarm) isFar(deadline int64) bool {
	return deadline-a.nearFor >= max(a.farDue.Load(), a.time.ticks.start(a.looksAt()))
}

// announce makes sure that the queue is looked at in time for t. The caller has pushed t, or changed it while it
// waited there, perhaps in the far lane. The word is read again: another goroutine may have armed t for an earlier time
// since.
func (a *alarm) announce(t *Timeout, mayBeFar bool) {
	w := t.load()
	look := w.deadline()
	if w.state() != Pending {
		look = maxDeadline // it has been stopped: only its memory waits
	}
	if mayBeFar && look <= a.farDue.Load() {
		a.lowerFar(a.before(look)) // in this order: a look raises due first
	}
	if look <= a.load().due() {
		a.expect(look)
	}
}

func (a *alarm) lowerFar(due int64) {
	for f := a.farDue.Load(); due < f && !a.farDue.CompareAndSwap(f, due); f = a.farDue.Load() {
	}
}

// before returns the start of the tick before the one at which a timeout is due.
func (a *alarm) before(deadline int64) int64 {
	return a.time.ticks.start(max(0, a.time.ticks.of(deadline)-1))
}

// hurry has the near lane looked at as the next tick begins. Whoever stops timeouts may do so in any bubble.
func (a *alarm) hurry() {
	if a.load().due() > 0 && !a.time.isInside() {
		a.expect(0)
	}
}

// expect is the slow part of announce. It calls nothing of a user's clock: whoever calls Stop may hold a lock that the
// clock takes. So another goroutine becomes the worker. It is counted first, so that Shutdown waits for it.
func (a *alarm) expect(deadline int64) {
	if deadline == maxDeadline && a.time.isInside() {
		return // anybody may stop a timeout, and its memory can wait
	}
	a.time.checkBubble() // before due is lowered: a program may recover the panic, and the next arming lowers it
	due := a.before(deadline)
	if !a.time.isUsers {
		tick := a.time.thisTick() // before this goroutine is the worker, and may lose its processor
		if a.lower(due) {
			a.rest(tick, a.looksAt())
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

// rest gives the worker's role away. seen is the last tick that the caller has seen: a timeout that is due at a later
// one is not late yet. next is the tick at which something filed is due.
func (a *alarm) rest(seen, next tick) {
	for {
		w := a.load()
		switch w.status() {
		case ended:
			a.stop()
			return
		case rung: // in this order: a bell that rings after the CAS leaves rung again
			if a.cas(w, w-rung+awake) {
				a.bell.forget(a.time.thisTick())
			}
			continue
		}
		due := w.due()
		if due != noDue {
			due = min(due, a.patient(seen))
			next = min(next, max(seen, a.time.ticks.at(due))+1)
		}
		if next >= a.time.ticks.never {
			next = noTick // where the clock ends nothing is due any more
		}
		a.nextLook.Store(int64(next))
		if next == noTick {
			a.bell.unset()
		} else {
			a.bell.set(next)
			a.setOverdue(next)
		}
		if a.cas(w, watchFor(due, asleep)) {
			return // and touch nothing: another goroutine may be the worker
		}
	}
}

// setOverdue says from when on a caller may ring. On a user's clock nobody does.
func (a *alarm) setOverdue(next tick) {
	if a.extra != nil {
		a.overdue.Store(a.time.ticks.start(next) + overdueAfter)
	}
}

// ringOverdue is for a caller who has read the clock, and has found that a bell is overdue. Package time starts the
// goroutine as the caller leaves its processor: the goroutine of a go statement would be kicked by those that the
// caller makes ready until then. So a bell may ring twice for one setting, and late.
func (a *alarm) ringOverdue(now int64) {
	at := a.overdue.Load()
	if now > at && a.overdue.CompareAndSwap(at, now+2*overdueAfter) {
		a.extra.Reset(0)
	}
}

// ring is what a bell calls, in a goroutine of package time's, which inherits no profiler labels or modes.
func (a *alarm) ring() {
	a.out.Enter() // before it is the worker, so that Stop, which ends it, sees one or the other
	a.rang()
}

// rang is ring for a goroutine that is counted.
func (a *alarm) rang() {
	if a.answer() {
		a.work()
	} else {
		a.out.Leave()
	}
}

// begin is the worker's first act. It reports whether to pass at a tick. If not, the worker is to come at next: a bell
// was set for a timeout that has been stopped or moved, or a caller has rung before. On a user's clock it passes each
// time: After was early, or a producer, who cannot say at which tick that was, has had the worker called.
func (a *alarm) begin(tick tick) (next tick, isDue bool) {
	a.bell.forget(tick)
	if a.time.isUsers {
		a.nextLook.Store(int64(min(a.looksAt(), tick)))
	}
	next = a.looksAt()
	isDue = next <= tick
	if isDue {
		a.overdue.Store(notOverdue)
	}
	return next, isDue
}

// start has a goroutine call f that inherits no profiler labels or modes of the caller's: one of package time's. In a
// bubble it does inherit them, since timers that ring at once crash the race detector there (golang/go#78156).
func (a *alarm) start(f func()) {
	if a.time.isInBubble() {
		go f()
		return
	}
	time.AfterFunc(0, f)
}
