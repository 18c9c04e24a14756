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
// channel counts as one pending timeout until its tick, which WithMaxPending does not refuse. A separate goroutine
// closes it, or with Inline the worker; no other Executor is used.
//
// Timer.Stop closes the channels that are not due yet. A call after Timer.Stop waits in package time, whatever the
// Clock, so a loop that waits for After keeps its pace. Such a call allocates a separate channel.
func (tm *Timer) After(d time.Duration) <-chan struct{} {
	tick := tm.time.ticks.roundUp(tm.time.ticks.of(tm.deadlineIn(d)))
	if s := tm.after.find(tick); s != nil {
		return s.done
	}
	s := &sharedTick{tick: tick, done: make(chan struct{})}
	s.to.Init(tm, s)
	_, err := tm.arm(&s.to, tm.time.ticks.start(tick), unbounded)
	if err != nil { // the timer is stopped, and nobody else has this channel
		time.AfterFunc(max(1, d), func() { close(s.done) }) // 1: see alarm.start
		return s.done
	}
	first := tm.after.add(s)
	if first != s {
		s.to.Stop()
	}
	return first.done
}

// afters finds the channel of a tick. While mu is held no other lock is taken.
type afters struct {
	mu    sync.Mutex           // guards all below
	ticks map[tick]*sharedTick // the channels that are pending; nil before the first
}

// sharedTick is the channel of all callers that wait for a tick, and the Timeout that closes it. Whoever ends its
// arming closes the channel: its run, Timer.Stop, or package time if the arming is refused.
type sharedTick struct {
	to   Timeout
	tick tick // this and done are After's, then read only
	done chan struct{}
}

// find returns a tick's channel, nil if none is pending.
func (a *afters) find(tick tick) *sharedTick {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pending(tick)
}

// pending is find for a caller who holds mu.
func (a *afters) pending(tick tick) *sharedTick {
	if s := a.ticks[tick]; s != nil && s.to.State() == Pending {
		return s
	}
	return nil
}

// add lets other callers find s, and returns s, or the channel of another caller who was first. If the arming of s has
// ended, s is not added, since its remove may have come before.
func (a *afters) add(s *sharedTick) *sharedTick {
	a.mu.Lock()
	defer a.mu.Unlock()
	if first := a.pending(s.tick); first != nil {
		return first
	}
	if s.to.State() != Pending {
		return s
	}
	if a.ticks == nil {
		a.ticks = make(map[tick]*sharedTick)
	}
	a.ticks[s.tick] = s
	return s
}

// remove follows the end of s's arming.
func (a *afters) remove(s *sharedTick) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ticks[s.tick] == s {
		delete(a.ticks, s.tick)
	}
}

// Run closes the channel at its tick.
func (s *sharedTick) Run(*Timeout) {
	close(s.done)
	s.to.timer.after.remove(s)
}

// TimerStopped closes the channel.
func (s *sharedTick) TimerStopped() { s.Run(&s.to) }

// Brief keeps s from the user's Executor.
func (s *sharedTick) Brief() hook.Brief { return true }

// TaskName returns the name under which the channels of After are shown.
func (s *sharedTick) TaskName() string { return "hashedwheel.(*Timer).After" }
