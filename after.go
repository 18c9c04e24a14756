package hashedwheel

import (
	"maps"
	"slices"
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
// All callers whose deadline rounds up to the same tick share one channel, so
// all but the first allocate nothing. It counts as one pending timeout a tick,
// which WithMaxPending does not refuse. When the timer is stopped the channel is
// closed at once, and later calls return a closed one: nobody hangs.
func (t *Timer) After(d time.Duration) <-chan struct{} {
	tick := roundUp(t.deadlineIn(d), t.tick)
	if s := t.after.recent[tick&(recentTicks-1)].Load(); s != nil && s.tick == tick {
		return s.done
	}
	return t.afterTick(tick)
}

// afters finds the channel of a tick. No other lock is taken while its own is held.
type afters struct {
	recent [recentTicks]atomic.Pointer[sharedTick] // by tick, modulo; what callers look at first

	mu      sync.Mutex
	ticks   map[int64]*sharedTick // all that are open; guarded by mu
	stopped *sharedTick           // what every tick has once the timer is stopped; guarded by mu
}

// recentTicks is enough for several delays in use at the same time.
const recentTicks = 64

// sharedTick is the channel of those who wait for the same tick, and the Timeout
// that closes it.
type sharedTick struct {
	Timeout
	tick int64
	done chan struct{}
}

// afterTick is After for the first caller of a tick, and for one that finds
// another tick's channel in its place.
func (t *Timer) afterTick(tick int64) <-chan struct{} {
	s, isNew := t.after.open(tick)
	if isNew {
		s.Init(t, s)
		_ = s.armAlways(min(tick*t.tick, maxDeadline)) // refused: then Stop closes it
	}
	return s.done
}

// Run closes the channel, on the worker.
func (s *sharedTick) Run(*Timeout) { s.timer.after.close(s) }

// open returns the channel of a tick, and whether the caller must arm it.
func (a *afters) open(tick int64) (s *sharedTick, isNew bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped != nil {
		return a.stopped, false
	}
	s = a.ticks[tick]
	if isNew = s == nil; isNew {
		s = &sharedTick{tick: tick, done: make(chan struct{})}
		if a.ticks == nil {
			a.ticks = make(map[int64]*sharedTick)
		}
		a.ticks[tick] = s
	}
	a.recent[tick&(recentTicks-1)].Store(s)
	return s, isNew
}

// close releases all who wait for s, unless stop does.
func (a *afters) close(s *sharedTick) {
	a.mu.Lock()
	isOpen := a.ticks[s.tick] == s
	if isOpen {
		a.forget(s)
	}
	a.mu.Unlock()
	if isOpen {
		close(s.done) // without the lock: waking a crowd takes time
	}
}

// stop releases all who wait, now and later.
func (a *afters) stop() {
	a.mu.Lock()
	open := slices.Collect(maps.Values(a.ticks))
	for _, s := range open {
		a.forget(s)
	}
	a.stopped = &sharedTick{done: make(chan struct{})}
	close(a.stopped.done)
	a.mu.Unlock()
	for _, s := range open {
		close(s.done)
	}
}

// forget makes s no longer found. The caller holds mu, and closes its channel.
func (a *afters) forget(s *sharedTick) {
	delete(a.ticks, s.tick)
	a.recent[s.tick&(recentTicks-1)].CompareAndSwap(s, nil)
}
