// Package wheels holds the designs of docs/timing-wheels.md as small reference implementations. Four are timers that
// bench compares with others. All of these sit behind one lock, run tasks on their one goroutine, and are never early.
package wheels

import (
	"math"
	"sync"
	"time"
)

// Timer drives one of the designs. It is safe for concurrent use.
type Timer struct {
	mu      sync.Mutex
	start   time.Time
	tick    time.Duration
	current int64      // the last tick taken; guarded by mu
	planned int64      // the tick at which the goroutine wakes; guarded by mu
	pending structure  // guarded by mu
	due     []*Timeout // the goroutine's own, kept from tick to tick
	wake    chan struct{}
	stop    chan struct{}
}

// Timeout is one timeout of a Timer.
type Timeout struct {
	timer      *Timer
	f          func()
	armed      bool     // guarded by timer.mu, like all that follows
	tick       int64    // at which it expires
	rounds     int64    // turns of the wheel to go, in rounds
	index      int      // place in the heap
	next, prev *Timeout // in a list
}

// structure keeps timeouts by the tick at which they expire. Ticks of timeouts placed are later than the last one
// passed to expire.
type structure interface {
	place(to *Timeout)
	remove(to *Timeout)
	// expire takes out the timeouts that are due at any tick after current, up to now.
	expire(current, now int64, due func(*Timeout))
	// next is the tick at which expire must be called next.
	next(current int64) int64
	// visited is how often it has looked at a timeout that it holds.
	visited() int
}

const never = math.MaxInt64

func open(tick time.Duration, s structure) *Timer {
	t := &Timer{
		start:   time.Now(),
		tick:    tick,
		pending: s,
		planned: s.next(0),
		wake:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
	}
	go t.work()
	return t
}

// AfterFunc arms a new Timeout that calls f once d has passed.
func (t *Timer) AfterFunc(d time.Duration, f func()) *Timeout {
	to := t.New(f)
	to.Reset(d)
	return to
}

// New returns a Timeout to be armed by Reset.
func (t *Timer) New(f func()) *Timeout { return &Timeout{timer: t, f: f} }

// Close ends the timer's goroutine.
func (t *Timer) Close() { close(t.stop) }

// Reset arms to, or moves it, and reports whether it was pending.
func (to *Timeout) Reset(d time.Duration) bool {
	t := to.timer
	deadline := time.Since(t.start) + d
	t.mu.Lock()
	defer t.mu.Unlock()
	was := to.armed
	if was {
		t.pending.remove(to)
	}
	to.armed = true
	to.tick = max(int64((deadline+t.tick-1)/t.tick), t.current+1)
	t.pending.place(to)
	if to.tick < t.planned {
		t.planned = to.tick
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
	return was
}

// Stop prevents f from running and reports whether it did.
func (to *Timeout) Stop() bool {
	t := to.timer
	t.mu.Lock()
	defer t.mu.Unlock()
	was := to.armed
	if was {
		to.armed = false
		t.pending.remove(to)
	}
	return was
}

func (t *Timer) work() {
	sleep := time.NewTimer(0)
	for {
		select {
		case <-sleep.C:
		case <-t.wake:
		case <-t.stop:
			return
		}
		t.expire()
		for i, to := range t.due {
			t.due[i] = nil // let the collector have it
			to.f()
		}
		sleep.Reset(t.wait())
	}
}

// expire fills due with all that is due by now.
func (t *Timer) expire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = t.due[:0]
	now := int64(time.Since(t.start) / t.tick)
	t.pending.expire(t.current, now, func(to *Timeout) {
		to.armed = false
		t.due = append(t.due, to)
	})
	t.current = now
}

// wait plans the next time to wake and returns how long it is until then.
func (t *Timer) wait() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.planned = t.pending.next(t.current)
	if t.planned == never {
		return math.MaxInt64
	}
	return time.Duration(t.planned)*t.tick - time.Since(t.start)
}
