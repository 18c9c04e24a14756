package hashedwheel

import (
	"sync/atomic"
	"time"
)

// alarm decides when the worker comes. No goroutine waits for that: package time calls the worker. One goroutine at a
// time has the worker's part. It gives the part away by one CAS of the word, after it has set the alarm for all that is
// filed or queued.
//
//	status   who has the part                     who may touch nextLook, timer and cancel
//	asleep   nobody; the alarm rings at nextLook  nobody
//	awake    one goroutine                        that one
//	rung     one, and the alarm has rung since    that one; the alarm is no longer set
//	ended    nobody, for good                     whoever had the part, or else Timer.Stop
//
//	             the alarm, or a producer             the alarm
//	asleep ──────────────────────────────▶ awake ─────────────────▶ rung
//	       ◀────────────────────────────── awake ◀───────────────── rung
//	                  rest                              rest
//
// A queued timeout is due like a filed one. A producer pushes, then lowers due to its deadline, and has the part if
// that made the worker awake; a pass raises due, then takes the queue. So whoever gives the part away has seen the push
// in the queue or in due, or its CAS fails. verify/spin/alarm.pml checks the interleavings.
type alarm struct {
	word     atomic.Int64 // a watch
	nextLook atomic.Int64 // the tick at which the worker is, or was, to come; noTick: none. Stats and Lag read it
	timer    *time.Timer
	ring     func()        // the worker's, on a goroutine of package time's
	cancel   chan struct{} // on a user's clock: closed to end the goroutine that waits in place of timer
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

	// The queue is looked at within this time of a push, however late the timeout is due: the queue holds stopped
	// timeouts, and their memory. gRPC core takes 10 ms to 1 s for the same, Kafka 200 ms, .NET 333 ms.
	patience = 50 * time.Millisecond
)

func watchFor(due int64, status watch) watch { return watch(due<<watchShift) | status }

func (w watch) due() int64    { return int64(w >> watchShift) }
func (w watch) status() watch { return w & watchMask }

func (a *alarm) load() watch { return watch(a.word.Load()) }

func (a *alarm) cas(old, new watch) bool { return a.word.CompareAndSwap(int64(old), int64(new)) }

func (a *alarm) init(ring func()) {
	a.word.Store(int64(watchFor(noDue, asleep)))
	a.nextLook.Store(noTick)
	a.ring = ring
	a.timer = time.AfterFunc(time.Hour, ring) // here, since package time's timers belong to a bubble
	a.timer.Stop()
}

// lower makes due no later than a time, and reports whether the caller has the worker's part now.
func (a *alarm) lower(due int64) (hasPart bool) {
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
// the caller, who has the part, must take the queue: a push that it does not find lowers due after this. Otherwise the
// queue is left alone until due, or until patient if that is earlier: passes may follow each other for seconds.
func (a *alarm) raise(now, patient int64) bool {
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

// take reports whether the alarm that has rung gets the part. If another goroutine has it, that one finds out in rest.
func (a *alarm) take() (hasPart bool) {
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

// end is Timer.Stop's. If a goroutine has the part, that goroutine finds out in rest and stops the alarm there.
func (a *alarm) end() {
	was := watch(a.word.Swap(int64(watchFor(past, ended))))
	if was.status() == asleep {
		a.stop()
	}
}

func (a *alarm) stop() {
	a.timer.Stop()
	a.dismiss()
}

// dismiss ends the goroutine that waits for a user's clock.
func (a *alarm) dismiss() {
	if a.cancel != nil {
		close(a.cancel)
		a.cancel = nil
	}
}

// announce makes sure that the queue is looked at in time for t. The caller has pushed t, or changed it while it
// waited there. The word is read again: another goroutine may have armed t for an earlier time since.
func (wk *worker) announce(t *Timeout) {
	w := t.load()
	look := w.deadline()
	if w.state() != Pending {
		look = maxDeadline // it has been stopped: only its memory waits
	}
	if look <= wk.alarm.load().due() {
		wk.expect(look)
	}
}

// expect is the slow part of announce. It calls nothing of a user's clock: whoever calls Stop may hold a lock that the
// clock takes. Another goroutine sets the alarm then, and is counted before it has the part, so that Shutdown waits.
func (wk *worker) expect(deadline int64) {
	wk.time.checkBubble() // before due is lowered: a program may recover the panic
	due := max(0, roundUp(deadline, wk.time.tickLen)-1) * wk.time.tickLen
	if !wk.time.isUsers {
		tick := wk.time.thisTick() // before this goroutine has the part, and may lose its processor
		if wk.alarm.lower(due) {
			next := wk.alarm.nextLook.Load()
			wk.rest(tick, next, next)
		}
		return
	}
	wk.out.Enter()
	if wk.alarm.lower(due) {
		time.AfterFunc(0, wk.work)
	} else {
		wk.out.Leave()
	}
}

// rest gives the part away. tick is the last that the caller has seen: a timeout that is due at a later one is not late
// yet. next is the tick at which something filed is due, set the tick for which the alarm is set.
func (wk *worker) rest(tick, next, set int64) {
	a := &wk.alarm
	for {
		w := a.load()
		switch w.status() {
		case ended:
			a.stop()
			return
		case rung: // before the alarm is set: it may ring again at once
			a.cas(w, w-rung+awake)
			set = noTick
			continue
		}
		due := w.due()
		if due != noDue {
			due = min(due, wk.time.patientDue(tick))
			next = min(next, max(tick, due/wk.time.tickLen)+1)
		}
		if next >= wk.guarded.wheel.never {
			next = noTick // where the clock ends nothing is due any more
		}
		a.nextLook.Store(next)
		if next < set {
			wk.set(next, set != noTick)
			set = next
		}
		if a.cas(w, watchFor(due, asleep)) {
			return // and touch nothing: another goroutine may have the part
		}
	}
}

// set sets the alarm for a tick. A timer of package time's that is set is not Reset to ring earlier: when it rings, the
// runtime would look through all timers of its processor, for milliseconds where a million connections have deadlines.
// If the system took the processor away in between, the alarm would ring late by as long, and is set once more.
func (wk *worker) set(tick int64, isSet bool) {
	a, at := &wk.alarm, tick*wk.time.tickLen
	if wk.time.isUsers {
		wk.setUsers(wk.time.at(at))
		return
	}
	now := wk.time.now()
	if isSet {
		a.timer.Stop()
		a.timer = time.AfterFunc(time.Duration(at-now), a.ring)
	} else {
		a.timer.Reset(time.Duration(at - now))
	}
	if later := wk.time.now(); later-now > wk.time.tickLen/8 {
		a.timer.Reset(time.Duration(at - later))
	}
}

// setUsers has a goroutine wait for the user's clock. The clock may show a time before New, so wk.time.now does not do
// here. If it has moved on between Now and After, After's channel would be late by as much, and is replaced once. A
// clock that moves on each time makes itself late.
func (wk *worker) setUsers(at time.Time) {
	a, clock := &wk.alarm, wk.time.clock
	now := clock.Now()
	c := clock.After(at.Sub(now))
	if later := clock.Now(); later.Sub(now) > time.Duration(wk.time.tickLen/8) {
		c = clock.After(at.Sub(later))
	}
	a.dismiss()
	a.cancel = make(chan struct{})
	wk.out.Enter()
	go wk.await(c, a.cancel)
}

func (wk *worker) await(c <-chan time.Time, cancel <-chan struct{}) {
	select {
	case <-c:
		wk.answer()
	case <-cancel:
		wk.out.Leave()
	}
}
