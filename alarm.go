package hashedwheel

import (
	"sync/atomic"
	"time"
)

// alarm starts the worker at the time of its next run: no goroutine waits for it, a time.Timer starts one.
//
// A queued timeout counts like a filed one. A producer pushes, then sets a run for the deadline, unless one is set that
// covers it. The worker clears the word as a run begins, and then takes the queue: a push that it does not find reads
// the cleared word, and sets the next run. Whoever changes the time of the next run sets the timer.
type alarm struct {
	word    atomic.Int64 // an alarmWord
	overdue atomic.Int64 // a caller that reads a later time, in ns, wakes the worker; notOverdue if no run is set
	allowed atomic.Int64 // a run that is due before this tick is put off; only the worker changes it, in count

	// set by init, then read only
	time     *timeline
	far      *farLane
	timer    *time.Timer // for the next run; after New only Reset and Stop are called, by any goroutine
	extra    *time.Timer // fires for callers that find the worker overdue
	follower *follower   // on a user's clock, in place of the two
}

// alarmWord is the time of the next run, in ns, and whether it is announced: then it is soon enough for everything that
// is queued. A producer whose deadline is earlier, or that finds no run announced, changes the word.
type alarmWord int64

const (
	alarmAnnounced alarmWord = 1

	noRun = alarmWord(1<<60) << 1 // later than every deadline
	ended = alarmWord(-1)         // earlier than every deadline: no call changes it. Also on a ManualClock

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

func (w alarmWord) next() int64 { return int64(w >> 1) }

// covers reports whether a timeout that is queued needs no other run.
func (w alarmWord) covers(deadline int64) bool { return w&alarmAnnounced != 0 && w.next() <= deadline }

// by returns the word with a run at a time, or earlier.
func (w alarmWord) by(at int64) alarmWord {
	return min(w&^alarmAnnounced, alarmWord(at)<<1) | w&alarmAnnounced
}

func (a *alarm) load() alarmWord { return alarmWord(a.word.Load()) }

func (a *alarm) init(tl *timeline, out *runner, far *farLane, wake func()) {
	a.time, a.far = tl, far
	a.overdue.Store(notOverdue)
	a.word.Store(int64(noRun))
	switch {
	case tl.isManual:
		a.word.Store(int64(ended)) // Advance runs the worker
	case tl.isSystem:
		a.timer, a.extra = newTimer(wake), newTimer(wake)
	default:
		a.follower = &follower{alarm: a, out: out, wake: wake, poked: make(chan struct{}, 1)}
	}
}

// newTimer returns a timer that is not set. Only New calls it, since a time.Timer belongs to the bubble that made it.
func newTimer(f func()) *time.Timer {
	t := time.AfterFunc(time.Hour, f)
	t.Stop()
	return t
}

// announce makes sure that a run takes t in time. The caller has pushed t, or has changed t while it was queued,
// perhaps in the far lane.
func (a *alarm) announce(t *Timeout, mayBeFar bool) {
	w := t.load() // again: another goroutine may have armed t for an earlier time
	deadline := w.deadline()
	if w.state() != Pending {
		deadline = maxDeadline // stopped: only its memory waits
	}
	next := a.load()
	if mayBeFar && !a.far.suits(deadline, next) {
		a.far.wanted.Store(true) // before the run is set that must read it
	}
	if !next.covers(deadline) {
		a.expect(deadline)
	}
}

// dueNow has the near lane taken at the next tick. In a foreign bubble it does nothing: Timeout.Stop, which may call
// it, is allowed there.
func (a *alarm) dueNow() {
	if !a.time.isInside() {
		a.expect(0)
	}
}

// expect is the slow part of announce.
func (a *alarm) expect(deadline int64) {
	if deadline == maxDeadline && a.time.isInside() {
		return // Timeout.Stop is allowed in any bubble, and the memory can wait
	}
	a.time.checkBubble() // before the word is changed: if a program recovers the panic, the next call changes it
	at := a.time.ticks.start(a.time.ticks.of(deadline))
	if a.follower == nil { // which reads the user's clock itself, since the caller may hold a lock that the clock takes
		now := a.time.now()
		at = min(max(at, a.time.ticks.start(a.time.ticks.at(now)+1)), now+int64(linger))
	}
	a.by(at, alarmAnnounced)
}

// by sets a run for a time, unless one is set that is earlier.
func (a *alarm) by(at int64, announced alarmWord) {
	if a.lower(at, announced) {
		a.set()
	}
}

// lower is by without setting the timer. It reports whether the next run has changed.
func (a *alarm) lower(at int64, announced alarmWord) bool {
	for {
		w := a.load()
		next := w.by(at) | announced
		if w == next || a.word.CompareAndSwap(int64(w), int64(next)) {
			return w.next() != next.next()
		}
	}
}

// set sets the timer for the next run. If several goroutines do, the last of them to set it reads the word after that.
func (a *alarm) set() {
	if a.follower != nil {
		a.follower.poke()
		return
	}
	for at, isSet := a.load().next(), false; !isSet; {
		if at < 0 || at >= noRun.next() {
			a.overdue.Store(notOverdue)
			a.timer.Stop() // otherwise the runtime would keep the Timer, and everything it refers to, until it fires
		} else {
			start := a.time.ticks.start(a.putOff(a.time.ticks.of(at)))
			a.overdue.Store(start + overdueAfter)
			a.timer.Reset(max(1, time.Duration(start-a.time.now()))) // 1: see start
		}
		again := a.load().next()
		isSet, at = again == at, again
	}
}

// putOff returns the tick of a run that is due at a tick: the next whole Tick, if the worker has run more than once a
// Tick lately. So timeouts are on time where few expire, and where many do the worker runs once a Tick.
func (a *alarm) putOff(due tick) tick {
	if due < tick(a.allowed.Load()) {
		return a.time.ticks.roundUp(due)
	}
	return due
}

// count counts a run against the rate of one a Tick, by the tick at which it was due: a run that is woken late leaves
// no less time until the next. (The generic cell rate algorithm, ITU-T I.371.)
func (a *alarm) count(due tick) {
	due, whole := a.putOff(due), a.time.ticks.whole
	a.allowed.Store(int64(max(tick(a.allowed.Load()), due-burst*whole) + whole))
}

// wakesAt returns the tick of the next run.
func (a *alarm) wakesAt() tick { return a.putOff(a.time.ticks.of(min(a.load().next(), maxDeadline))) }

// begin reports whether a run is due, and the tick at which it was. Then no run is set, and the caller, the worker,
// must take the queue.
func (a *alarm) begin(now int64) (due tick, isDue bool) {
	for {
		w := a.load()
		if w == ended || w.next() > now {
			return 0, false // the timer was set for a timeout that has since changed, or a caller was quicker
		}
		a.overdue.Store(notOverdue) // before the word is changed: then a producer may set the next run
		if a.word.CompareAndSwap(int64(w), int64(noRun)) {
			due = a.time.ticks.of(w.next())
			a.count(due)
			return due, true
		}
	}
}

// rest sets the next run for a tick at which the worker has work. After a run that took timeouts from the queue, it
// also announces the end of the linger: while there is traffic, no call has to set a run, and the timer is not moved
// while it is set, after which the runtime would scan all timers of its P as it fires.
func (a *alarm) rest(next tick, isBusy bool) {
	if isBusy && a.follower == nil {
		a.by(a.time.now()+int64(linger), alarmAnnounced)
	}
	if next < a.time.ticks.never { // otherwise no clock reaches that tick
		a.by(a.time.ticks.start(next), 0)
	}
	if a.follower != nil {
		a.follower.poke()
	}
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

// start calls f in a time.Timer's goroutine, which inherits no profiler labels or modes of the caller's. In a bubble it
// inherits them: a timer that fires at once crashes the race detector there (golang/go#78156).
func (a *alarm) start(f func()) {
	if a.time.isInBubble() {
		go f()
		return
	}
	time.AfterFunc(0, f)
}

// silence is called by Timer.StopAll: no run begins any more.
func (a *alarm) silence() {
	a.word.Store(int64(ended))
	if !a.time.isManual {
		a.set()
	}
}
