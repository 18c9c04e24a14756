package hashedwheel

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// After returns a channel that is closed once d has passed, no earlier and at
// most one tick later: a deadline for a select, with nothing to stop.
//
//	select {
//	case r := <-reply:
//	case <-tm.After(30 * time.Second):
//	}
//
// All callers whose deadline rounds up to the same tick share one channel, so all but the
// first allocate nothing. It counts as one pending timeout, which WithMaxPending does not
// refuse. A goroutine of its own closes it, whatever the Executor, so a crowd that waits for
// it delays nothing else; with Inline the worker does.
//
// When the timer is stopped the channel is closed at once, and later calls return a closed
// one: a loop that waits for After alone must end when its timer does, or it spins.
func (tm *Timer) After(d time.Duration) <-chan struct{} {
	tick := roundUp(tm.deadlineIn(d), tm.tick)
	if s := tm.after.recent[tick&(recentTicks-1)].Load(); s.isFor(tick) {
		return s.done
	}
	s, isNew := tm.after.open(tick)
	if isNew {
		s.Init(tm, s)
		tm.room.release(-1) // a place beyond the bound
		s.begin(s.load(), min(tick*tm.tick, maxDeadline))
		_ = tm.push(&s.Timeout) // refused: then Stop has closed it, or is about to
	}
	return s.done
}

// afters finds the channel of a tick. While mu is held no other lock is taken but that of a channel.
type afters struct {
	recent [recentTicks]atomic.Pointer[sharedTick] // by tick, modulo; what callers look at first; may have expired

	mu      sync.Mutex            // guards all below
	ticks   map[int64]*sharedTick // all that are open
	room    int                   // the most that ticks has held
	stopped *sharedTick           // what every tick has once the timer is stopped
}

const (
	recentTicks = 64   // enough for several delays in use at the same time
	spareRoom   = 1024 // a map that has held no more stays as it is
)

// sharedTick is the channel of those who wait for a tick, and the Timeout that closes it.
type sharedTick struct {
	Timeout
	tick int64
	done chan struct{}
	once sync.Once // closes done
}

// isFor reports whether s, if any, can serve another caller of a tick: not once it has expired, since
// the clock may have been set back, nor once somebody who got it from Sample has stopped it.
func (s *sharedTick) isFor(tick int64) bool {
	return s != nil && s.tick == tick && s.State() <= Pending
}

func (*sharedTick) own() {}

// open returns the channel of a tick, and whether the caller must arm it.
func (a *afters) open(tick int64) (s *sharedTick, isNew bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped != nil {
		return a.stopped, false
	}
	s = a.ticks[tick]
	if isNew = !s.isFor(tick); isNew {
		if s != nil && s.State() == Expired { // its Run is under way; Stop would not find it
			s.release()
		}
		s = &sharedTick{tick: tick, done: make(chan struct{})}
		a.ticks[tick] = s
		a.room = max(a.room, len(a.ticks))
	}
	a.recent[tick&(recentTicks-1)].Store(s)
	return s, isNew
}

// Run releases all who wait for s, and gives up its place if it still has it.
func (s *sharedTick) Run(*Timeout) {
	s.release() // before Stop can miss it
	a := &s.timer.after
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ticks[s.tick] == s {
		delete(a.ticks, s.tick)
	}
	if a.room > spareRoom && len(a.ticks) < a.room/16 { // a Go map keeps its room, so make a new one
		a.ticks = maps.Collect(maps.All(a.ticks))
		a.room = len(a.ticks)
	}
}

// stop ends the opening of channels. It comes before anything is collected: if a channel's
// Timeout were cancelled while the channel can still be replaced, nobody would close it.
func (a *afters) stop() {
	a.mu.Lock()
	if a.stopped == nil {
		a.stopped = &sharedTick{done: make(chan struct{})}
	}
	a.mu.Unlock()
}

// releaseAll releases all who wait, now and later, once Timer.Stop is in effect.
func (a *afters) releaseAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped.release()
	for _, s := range a.ticks {
		s.release()
	}
	a.ticks = nil
}

// release closes the channel, once, which may wake a crowd.
func (s *sharedTick) release() { s.once.Do(func() { close(s.done) }) }
