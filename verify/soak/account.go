package main

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// account is the books of one Timeout, and its task. Every call on the Timeout holds mu, while the
// worker, Timer.Stop and the tasks go on in parallel. So the deadline identifies each arming, and
// each result is compared with the books.
//
// A call may report that the arming in the books is no longer pending, before the books have its
// outcome. That arming is owed: its run is yet to come, or Timer.Stop has it.
type account struct {
	life  *life
	kind  kind
	stops bool // its task stops the timer; set before the first arming

	mu       sync.Mutex
	to       armed   // nil if Schedule refused it; guarded by mu
	open     bool    // the last arming has no outcome yet; guarded by mu
	deadline int64   // of the last arming; guarded by mu
	owed     []int64 // deadlines of armings before it; guarded by mu
	last     outcome // the latest to be booked; guarded by mu
}

// armed is a Timeout or a Series.
type armed interface {
	Reset(d time.Duration) bool
	Stop() bool
	Err() error
}

// ownAccount has its Timeout in it.
type ownAccount struct {
	account
	timeout hashedwheel.Timeout
}

func (a *ownAccount) init(l *life) {
	a.life, a.kind, a.to = l, fromOwner, &a.timeout
	a.timeout.Init(l.tm, &a.account)
}

// afterFunc arms a new Timeout.
func (l *life) afterFunc(d time.Duration) *account {
	a := &account{life: l, kind: fromAfterFunc}
	a.afterFunc(d)
	return a
}

func (a *account) afterFunc(d time.Duration) {
	l := a.life
	a.mu.Lock()
	defer a.mu.Unlock()
	deadline := l.deadlineIn(d)
	a.to = l.tm.AfterFunc(d, a.expire)
	a.begin(deadline, false, a.to.Err())
}

// schedule arms a new Timeout, or returns an account that has none.
func (l *life) schedule(d time.Duration) *account {
	a := &account{life: l, kind: fromSchedule}
	a.mu.Lock()
	defer a.mu.Unlock()
	deadline := l.deadlineIn(d)
	to, err := l.tm.Schedule(d, a)
	if to != nil {
		a.to = to
	}
	if (to == nil) != (err != nil) {
		l.fault("Schedule gave both a Timeout and an error, or neither", kindNames[a.kind])
	}
	a.begin(deadline, false, err)
	return a
}

// reset arms or moves the Timeout to d from now.
func (a *account) reset(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.to == nil {
		return
	}
	deadline := a.life.deadlineIn(d)
	was := a.to.Reset(d)
	a.begin(deadline, was, a.to.Err())
}

// resetAt is reset by the caller's own reading of the clock.
func (a *ownAccount) resetAt(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := time.Now().Add(d)
	was := a.timeout.ResetAt(at)
	a.begin(int64(at.Sub(a.life.start)), was, a.timeout.Err())
}

// begin books an arming. Once it is Rejected a Timeout stays so until the next
// one, so the caller's look at Err is exact. The caller holds mu.
func (a *account) begin(deadline int64, was bool, err error) {
	l := a.life
	l.books.arm(a.kind)
	switch {
	case was && a.open:
		a.settle(superseded)
	case was:
		l.fault("Reset said that a Timeout was pending which was "+outcomeNames[a.last], kindNames[a.kind])
	case a.open:
		a.owed = append(a.owed, a.deadline)
	}
	a.open, a.deadline = true, deadline
	if err == nil {
		return
	}
	a.settle(rejected)
	switch {
	case errors.Is(err, hashedwheel.ErrFull) && l.lane.bounded:
		l.full.Add(1)
	case !errors.Is(err, hashedwheel.ErrStopped) || !l.stopping.Load():
		l.fault("an arming was rejected, and the reason is not true", kindNames[a.kind]+": "+err.Error())
	}
}

// settle ends the last arming. The caller holds mu.
func (a *account) settle(o outcome) {
	a.open, a.last = false, o
	a.life.books.settle(a.kind, o)
}

// stop stops the Timeout and reports whether it was pending.
func (a *account) stop() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.to == nil || !a.to.Stop() {
		return false
	}
	if a.open {
		a.settle(canceled)
	} else {
		a.life.fault("Stop said true of a Timeout that was "+outcomeNames[a.last], kindNames[a.kind])
	}
	return true
}

// Run is the task of a Schedule or of an owner.
func (a *account) Run(*hashedwheel.Timeout) { a.expire() }

// expire books a run, then does what tasks do. The timer must not call it during the reckoning;
// then it is called for timeouts that Timer.Stop returned.
func (a *account) expire() {
	if a.life.reckoning.Load() {
		a.end(returned)
		return
	}
	if late, ok := a.end(expired); ok {
		a.life.lateness.note(late)
		if late < 0 {
			a.life.fault("a task ran before its deadline", kindNames[a.kind]+", early by "+time.Duration(-late).String())
		}
	}
	a.life.misbehave(a)
}

// end books an outcome that the timer has decided, and returns how long ago the
// deadline was of the arming that it belongs to: an owed one's, which is sure to
// have come to its end, before the last one's. Two runs may be booked in either
// order, so it reads the clock while it holds mu: the second reading is the later.
func (a *account) end(o outcome) (late int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.life.now()
	switch {
	case len(a.owed) > 0:
		late, a.owed = now-a.owed[0], a.owed[1:]
		a.life.books.settle(a.kind, o)
	case a.open:
		late = now - a.deadline
		a.settle(o)
	case o == expired:
		a.life.fault("a task ran whose arming was "+outcomeNames[a.last], kindNames[a.kind])
		return 0, false
	default:
		a.life.fault("Timer.Stop returned a Timeout that was "+outcomeNames[a.last], kindNames[a.kind])
		return 0, false
	}
	return late, true
}

// isSettled reports whether every arming of the account has its outcome.
func (a *account) isSettled() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.open && len(a.owed) == 0
}

func (l *life) now() int64 { return int64(time.Since(l.start)) }

// deadlineIn returns the earliest deadline that an arming can have which is
// about to ask for d.
func (l *life) deadlineIn(d time.Duration) int64 {
	now := l.now()
	return now + min(int64(d), math.MaxInt64-now)
}
