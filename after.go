package hashedwheel

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// After returns a channel that is closed once d has passed, at most one tick late, for a select:
//
//	select {
//	case r := <-reply:
//	case <-tm.After(30 * time.Second):
//	}
//
// Callers whose deadline rounds up to the same tick share a channel, so all except the first allocate nothing. The
// channel counts as one pending timeout until its tick; WithMaxPending never refuses it. A separate goroutine closes
// it, or with Inline the worker; no other Executor is used.
//
// The channel outlives [Timer.StopAll]: see "Functions end, channels go on". A channel of a stopped Timer is not
// shared.
func (tm *Timer) After(d time.Duration) <-chan struct{} {
	// At a whole tick, so that there are no more channels than ticks. If the worker waits for a whole tick, it waits
	// for the same one.
	at := tm.time.wholeTick(tm.deadlineIn(d))
	if s := tm.after.find(at); s != nil {
		return s.done
	}
	s := &sharedTick{at: at, done: make(chan struct{})}
	s.to.Init(tm, s)
	_, err := tm.arm(&s.to, at, unbounded)
	if err != nil { // the timer is stopped, and nobody else has this channel
		s.Outlive(d)
		return s.done
	}
	first := tm.after.add(s)
	if first != s {
		s.to.Stop()
	}
	return first.done
}

// afters finds the channel of a tick. No other lock is taken while mu is held.
type afters struct {
	mu      sync.Mutex            // guards all below
	pending map[int64]*sharedTick // the channels that are pending, by deadline; nil before the first
}

// sharedTick is the channel of all callers that wait for a tick, and the Timeout that closes it. The channel is closed
// by Run when the Timeout expires, or by the time package if Timer.StopAll has canceled it or the timer refuses it.
type sharedTick struct {
	to   Timeout
	at   int64 // the deadline; set by After, then read only, like done
	done chan struct{}
}

// find returns the channel of a deadline, nil if none is pending.
func (a *afters) find(at int64) *sharedTick {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.get(at)
}

// get is find for a caller that holds mu.
func (a *afters) get(at int64) *sharedTick {
	if s := a.pending[at]; s != nil && s.to.State() == Pending {
		return s
	}
	return nil
}

// add publishes s to other callers and returns s, or returns the channel of a caller that was first. If s is no longer
// pending, add does not publish it, since remove may already have run.
func (a *afters) add(s *sharedTick) *sharedTick {
	a.mu.Lock()
	defer a.mu.Unlock()
	if first := a.get(s.at); first != nil {
		return first
	}
	if s.to.State() != Pending {
		return s
	}
	if a.pending == nil {
		a.pending = make(map[int64]*sharedTick)
	}
	a.pending[s.at] = s
	return s
}

// remove is called once s is no longer pending.
func (a *afters) remove(s *sharedTick) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pending[s.at] == s {
		delete(a.pending, s.at)
	}
}

// Run closes the channel at its tick.
func (s *sharedTick) Run(*Timeout) {
	close(s.done)
	s.to.timer.after.remove(s)
}

// Outlive has the time package close the channel.
func (s *sharedTick) Outlive(rest time.Duration) {
	if rest <= 0 {
		s.Run(&s.to)
		return
	}
	time.AfterFunc(rest, func() { s.Run(&s.to) })
}

// Brief keeps s off the user's Executor.
func (s *sharedTick) Brief() hook.Brief { return true }

// TaskName returns the name under which the channels of After are shown.
func (s *sharedTick) TaskName() string { return "hashedwheel.(*Timer).After" }

// outlive hands over a task whose Timeout Timer.StopAll has canceled. No more time passes for the timer on a
// ManualClock, or if StopAll is called in a testing/synctest bubble in which the timer was not made.
func (tm *Timer) outlive(task hook.Survivor, deadline int64) {
	switch tl := &tm.time; {
	case deadline == maxDeadline:
	case tl.manual != nil, tl.isInside():
		task.Outlive(0)
	default:
		task.Outlive(time.Duration(deadline - tl.now()))
	}
}
