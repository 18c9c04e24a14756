package hashedwheel

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// After returns a channel that is closed once d has passed, at most one tick late, for a select:
//
//	select {
//	case r := <-reply:
//	case <-tm.After(30 * time.Second):
//	}
//
// All callers whose deadline rounds up to the same tick share one channel, so all but the first allocate
// nothing. The channel counts as one pending timeout, which WithMaxPending does not refuse. A separate
// goroutine closes it, or with Inline the worker; no other Executor is used.
//
// Timer.Stop closes the channel at once, and later calls return a closed channel: a loop that waits only
// for After must end when its timer does, or it spins. To sleep, call wheeltime.Sleep.
func (tm *Timer) After(d time.Duration) <-chan struct{} {
	tick := roundUp(tm.deadlineIn(d), tm.time.tickLen)
	if s := tm.after.recent[tick&(recentTicks-1)].Load(); s.isFor(tick) {
		return s.done
	}
	s, isNew := tm.after.open(tick)
	if isNew {
		s.Init(tm, s)
		tm.room.release(-1) // takes a place, beyond the bound also
		s.begin(s.load(), min(tick*tm.time.tickLen, maxDeadline))
		tm.push(&s.Timeout) // refused: then Stop has closed it, or is about to
	}
	return s.done
}

// afters finds the channel of a tick. While mu is held no other lock is taken, except a channel's.
type afters struct {
	recent [recentTicks]atomic.Pointer[sharedTick] // by tick, modulo: After looks here first; open stores

	mu      sync.Mutex            // guards all below
	ticks   map[int64]*sharedTick // all open channels; nil before the first
	peak    int                   // the most that ticks has held since it was made
	stopped *sharedTick           // serves every tick once the timer is stopped; nil before
}

const (
	recentTicks = 64   // enough for several delays in use at the same time
	smallPeak   = 1024 // a map that has held no more stays as it is
)

// sharedTick is the channel of all callers that wait for a tick, and the Timeout that closes it.
type sharedTick struct {
	Timeout
	tick int64 // this and done are open's, then read only
	done chan struct{}
	once sync.Once // closes done
}

// isFor reports whether s, which may be nil, can serve another caller of a tick: not once it has expired,
// since the clock may have been set back, nor once a caller of Sample has stopped it.
func (s *sharedTick) isFor(tick int64) bool {
	return s != nil && s.tick == tick && s.State() <= Pending
}

// open returns the channel of a tick, and whether the caller must arm it.
func (a *afters) open(tick int64) (s *sharedTick, isNew bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped != nil {
		return a.stopped, false
	}
	s = a.ticks[tick]
	isNew = !s.isFor(tick)
	if isNew {
		if s != nil && s.State() == Expired { // its Run is under way; Timer.Stop would not find it
			s.release()
		}
		if a.ticks == nil {
			a.ticks = make(map[int64]*sharedTick)
		}
		s = &sharedTick{tick: tick, done: make(chan struct{})}
		a.ticks[tick] = s
		a.peak = max(a.peak, len(a.ticks))
	}
	a.recent[tick&(recentTicks-1)].Store(s)
	return s, isNew
}

// Run closes the channel, and gives up its place if it still has it.
func (s *sharedTick) Run(*Timeout) {
	s.release() // before Stop can miss it
	a := &s.timer.after
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ticks[s.tick] == s {
		delete(a.ticks, s.tick)
	}
	if a.peak > smallPeak && len(a.ticks) < a.peak/16 { // a Go map keeps its memory, so make a new one
		a.ticks = maps.Collect(maps.All(a.ticks))
		a.peak = len(a.ticks)
	}
}

// close ends the opening of channels, before Timer.Stop collects any Timeout: a channel whose Timeout is
// canceled while another channel can still take its place would stay open.
func (a *afters) close() {
	a.mu.Lock()
	if a.stopped == nil {
		a.stopped = &sharedTick{done: make(chan struct{})}
	}
	a.mu.Unlock()
}

// releaseAll closes all channels, also that of later callers, once Timer.Stop is in effect.
func (a *afters) releaseAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped.release()
	for _, s := range a.ticks {
		s.release()
	}
	a.ticks = nil
}

// release closes the channel, once.
func (s *sharedTick) release() { s.once.Do(func() { close(s.done) }) }
func (*sharedTick) own()       {} // as an ownTask
