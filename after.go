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
	a := &tm.after
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.pending[at]; s != nil && s.to.State() == Pending {
		return s.done
	}
	s := &sharedTick{done: make(chan struct{})}
	s.to.Init(tm, s)
	if _, err := tm.arm(&s.to, at, unbounded); err != nil { // the timer is stopped
		time.AfterFunc(d, func() { close(s.done) })
		return s.done
	}
	if a.pending == nil {
		a.pending = make(map[int64]*sharedTick)
	}
	a.pending[at] = s // if s has run by now, it waits for mu, and removes itself
	return s.done
}

// afters finds the channel of a tick.
type afters struct {
	mu      sync.Mutex            // guards pending; held while a channel's Timeout is armed
	pending map[int64]*sharedTick // the channels that are not closed, by deadline; nil before the first
}

// sharedTick is the channel of all callers that wait for a tick, and the Timeout that closes it. The channel is closed
// by Run when the Timeout expires, or by the time package if Timer.StopAll has canceled it or the timer refuses it.
type sharedTick struct {
	to   Timeout
	done chan struct{} // set by After, then read only
}

// Run closes the channel at its tick.
func (s *sharedTick) Run(*Timeout) {
	close(s.done)
	a := &s.to.timer.after
	a.mu.Lock()
	defer a.mu.Unlock()
	if at := s.to.load().deadline(); a.pending[at] == s {
		delete(a.pending, at)
	}
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
