package hashedwheel

import (
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/race"
)

// alarm starts the worker. No goroutine waits for the next run: a time.Timer starts one for it.
//
// One word holds the time of the next run, and whoever changes that time sets a timer, except for a run: it takes the
// word as it begins, which leaves no run set, and then the queue. A producer pushes a timeout, then sets a run for it,
// unless the word covers it. So either the run finds the push in the queue, or the producer finds the word taken.
// verify/spin/alarm.pml checks the interleavings.
type alarm struct {
	word    atomic.Int64 // an alarmWord
	overdue atomic.Int64 // ns: a caller that reads a later time wakes the worker; notSet if no run is set
	allowed atomic.Int64 // ns: a run that is due earlier is put off to the next whole tick; only the worker writes it
	last    atomic.Int64 // ns: when the run in progress, or the last, was due; only the worker writes it
	free    int64        // ns: when the last run that did not count was due; only the worker uses it, and the next
	from    int64        // ns: for when the run in progress was set, before it was put off

	// set by init, then read only
	time  *timeline
	far   *farLane
	extra *time.Timer // fires for callers that find the worker overdue

	sets    atomic.Int32 // calls of set that are not answered; one of the callers uses the next two
	wakers  [4]waker
	precise timerFD
}

// waker is a time.Timer that starts the worker.
type waker struct {
	*time.Timer
	at atomic.Int64 // ns: when it fires, or earlier; notSet once it has fired
}

// alarmWord is the time of the next run, in ns, and whether it is announced: then it is soon enough for everything that
// is queued. A producer whose deadline is earlier, or that finds no run announced, changes the word.
type alarmWord int64

const (
	announced alarmWord = 1

	noRun = alarmWord(maxDeadline) << 1
	ended = alarmWord(-1) // earlier than every deadline, so no call changes it; on a ManualClock from the start

	// A timer puts the goroutine that it starts at the front of its P's queue. Another that becomes ready kicks it to
	// the end, where it waits for up to a second on a busy machine. So a caller wakes a worker that is overdue by this
	// much.
	overdueAfter = int64(time.Millisecond)
	notSet       = 1<<63 - 1 // overdue, or a waker

	burst = 10 // in ticks: the worker saves up to this many runs while it rests

	// The queue is taken within this time of a push, however far away the deadline: the queue holds stopped timeouts,
	// and their memory. gRPC core takes 10 ms to 1 s for the same, Kafka's linger.ms 200 ms, .NET 333 ms.
	linger = int64(50 * time.Millisecond)
)

// next returns the time of the next run.
func (w alarmWord) next() int64 { return int64(w >> 1) }

func (a *alarm) load() alarmWord { return alarmWord(a.word.Load()) }

func (a *alarm) init(tl *timeline, far *farLane, wake func()) {
	a.time, a.far = tl, far
	a.overdue.Store(notSet)
	a.free = -linger
	if tl.manual != nil {
		a.word.Store(int64(ended)) // Advance runs the worker
		return
	}
	a.word.Store(int64(noRun))
	a.extra = newTimer(wake)
	for i := range a.wakers {
		w := &a.wakers[i]
		w.at.Store(notSet)
		w.Timer = newTimer(func() {
			w.at.Store(notSet)
			wake()
		})
	}
}

// newTimer returns a timer that is not set. Only New calls it, since a time.Timer belongs to the bubble that made it.
func newTimer(f func()) *time.Timer {
	t := time.AfterFunc(time.Hour, f)
	t.Stop()
	return t
}

// announce makes sure that a run takes t in time. The caller has pushed t, or has changed t while it was queued,
// perhaps in the far lane. It reads the deadline after that, and the word last: another goroutine may have armed t for
// an earlier time, and a run that has taken the word may have looked at far.wanted before it was set.
func (a *alarm) announce(t *Timeout, mayBeFar bool) {
	if a.time.bubble != nil {
		a.time.checkOutside() // also if a run is set: it never comes if its bubble has ended
	}
	w := word(race.Load(&t.word)) // by now the task of t may run, and clear t
	deadline := w.deadline()
	if w.state() != Pending {
		deadline = maxDeadline // stopped: only its memory waits
	}
	if mayBeFar && !a.far.suits(deadline, a.load()) {
		a.far.wanted.Store(true)
	}
	if set := a.load(); set&announced == 0 || set.next() > deadline {
		a.expect(deadline)
	}
}

// expect is the slow part of announce.
func (a *alarm) expect(deadline int64) {
	if deadline == maxDeadline && a.time.isInside() {
		return // Timeout.Stop is allowed in any bubble, and the memory can wait
	}
	a.time.checkBubble() // before the word is changed: if a program recovers the panic, the next call changes it
	now := a.time.now()
	a.by(min(max(deadline, now), now+linger), announced)
}

// by sets a run for a time, unless one is set that is earlier. bit is announced, or 0.
func (a *alarm) by(at int64, bit alarmWord) {
	for {
		w := a.load()
		next := min(w>>1, alarmWord(at))<<1 | w&1 | bit
		if w == next {
			return
		}
		if a.word.CompareAndSwap(int64(w), int64(next)) {
			if w.next() != next.next() {
				a.set()
			}
			return
		}
	}
}

// set has the worker woken for the next run. It is called after each change of the time of that run, and when the
// worker was woken early. One goroutine at a time sets timers: while it does, another call has it do so once more. It
// may have lost its processor, so each call first has callers that find the worker overdue wake it.
func (a *alarm) set() {
	if at := a.load().next(); at >= 0 && at < maxDeadline {
		a.overdue.Store(a.putOff(at) + overdueAfter)
	}
	if a.sets.Add(1) > 1 {
		return
	}
	for n := int32(1); ; n = a.sets.Load() {
		a.wakeFor(a.load().next())
		if a.sets.CompareAndSwap(n, 0) {
			return
		}
	}
}

// wakeFor sets a timer for a run that is due at a time, unless one fires earlier: then the worker finds that nothing is
// due, and calls set. One that has fired does not count: its goroutine may wait for a processor. So a timer that is set
// is moved only if all are. Before a timer fires that was moved, the runtime scans all timers of its P: 14 ms where a
// program keeps a million.
func (a *alarm) wakeFor(due int64) {
	if due < 0 || due >= maxDeadline {
		a.endWakers(due < 0)
		return
	}
	start := a.putOff(due)
	a.overdue.Store(start + overdueAfter)
	now, isSet, last := a.time.now(), false, &a.wakers[0]
	for i := range a.wakers {
		at := a.wakers[i].at.Load()
		isSet = isSet || now < at && at <= start
		if at > last.at.Load() {
			last = &a.wakers[i]
		}
	}
	if !isSet {
		last.at.Store(start)
		last.Reset(max(1, time.Duration(start-a.time.now()))) // 1: see worker.restart
	}
	if !a.time.isInBubble() {
		a.precise.set(time.Duration(start - a.time.now())) // after the timer, which must not be due later
	}
}

// endWakers leaves no timer set, since the runtime keeps the Timer for one that is, and also for one that was stopped
// until it cleans its heap. So they fire now, but not after Timer.StopAll, where a leak detector would find that.
func (a *alarm) endWakers(hasEnded bool) {
	a.overdue.Store(notSet)
	for i := range a.wakers {
		if a.wakers[i].Stop() && !hasEnded {
			a.wakers[i].Reset(1)
		}
	}
	if hasEnded {
		a.precise.close()
	}
}

// putOff returns the time of a run that is due at a time: the next whole tick, if the worker has run more than once a
// tick lately. So timeouts are on time where few expire, and where many do the worker runs once a tick.
func (a *alarm) putOff(due int64) int64 {
	if due < a.allowed.Load() {
		return a.time.wholeTick(max(due, a.last.Load()+1))
	}
	return due
}

// begin reports whether a run is due. Then no run is set, and the caller, the worker, must take the queue. The run
// counts against the rate of one a tick by the time at which it was due, so that a late wake-up does not put off the
// next run. (The generic cell rate algorithm, ITU-T I.371.)
func (a *alarm) begin(now int64) (isDue bool) {
	for {
		w := a.load()
		if w == ended {
			return false
		}
		due := a.putOff(w.next())
		if due > now { // the timer was set for another run, or before the last run counted
			a.set()
			return false
		}
		a.overdue.Store(notSet) // before the word is changed: then a producer may set the next run
		if a.word.CompareAndSwap(int64(w), int64(noRun)) {
			a.last.Store(due)
			a.from = w.next()
			a.allowed.Store(max(a.allowed.Load(), due-burst*a.time.tick) + a.time.tick)
			return true
		}
	}
}

// rest ends a run, and sets the next one for when the worker has work. If the run took timeouts from the queue, the
// next one comes within the linger, and covers what is pushed until then: while there is traffic, no call has to set a
// run.
// Once per linger, a run that dispatched nothing does not count, as at the end of the linger: with a tick longer than
// the linger such runs alone would use up the rate.
func (a *alarm) rest(next int64, isBusy, dispatched bool) {
	if last := a.last.Load(); !dispatched && last-a.free >= linger {
		a.free = last
		a.allowed.Add(-a.time.tick)
	}
	switch {
	case isBusy:
		a.by(min(next, a.time.now()+linger), announced)
	case next < maxDeadline:
		a.by(next, 0)
	default:
		a.set() // ends the wakers
	}
}

// wakeOverdue is for a caller that has read the clock and found the worker overdue. It resets a timer, which fires once
// the caller leaves its P. It does not use a go statement, since the next goroutine that the caller readies would kick
// the worker from the front of the P's queue. The worker may be woken late, and twice for one setting.
func (a *alarm) wakeOverdue(now int64) {
	at := a.overdue.Load()
	if now > at && a.overdue.CompareAndSwap(at, now+2*overdueAfter) {
		a.extra.Reset(1) // 1: see worker.restart
	}
}

// silence is called by Timer.StopAll: no run begins any more.
func (a *alarm) silence() {
	a.word.Store(int64(ended))
	if a.time.manual == nil {
		a.set()
	}
}
