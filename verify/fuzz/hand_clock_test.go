package fuzz

import (
	"slices"
	"sync"
	"time"
)

// handClock is a clock that is set by hand, forward or back, also between two
// looks of the worker's. While nobody does, it stands still.
type handClock struct {
	start time.Time

	mu     sync.Mutex
	now    time.Duration // since start
	alarms []handAlarm
	leaps  leaps
	by     time.Duration // how far it was set since the last look at history
	trap   time.Duration // how far it is set at the next call of After
	reads  int           // of Now, since it last moved
}

type handAlarm struct {
	at time.Duration
	c  chan time.Time
}

// leaps is the record of settings of a clock, from which lateness is judged. Times are ns since the
// start.
type leaps struct {
	last int64 // its last setting: timeouts that this passed over are due then
	high int64 // the latest it has shown, until all have seen that it was set
	peak int64 // the latest time shown before it was set back: it has shown all times up to there
	calm int64 // so long after it was set, or past its peak, all is as if it never had been
}

const longAgo = 2 * firstTime

// noLeaps is what there is to know of a clock that was never set.
func noLeaps(tick int64) leaps { return leaps{longAgo, longAgo, longAgo, 3 * tick} }

func newHandClock(start time.Time, tick int64) *handClock {
	return &handClock{start: start, leaps: noLeaps(tick)}
}

// tooManyReads is where a worker that spins ends.
const tooManyReads = 1 << 20

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads++; c.reads > tooManyReads {
		panic("the worker spins")
	}
	return c.start.Add(c.now)
}

func (c *handClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leap(c.trap)
	c.trap = 0
	a := handAlarm{c.now + d, make(chan time.Time, 1)}
	c.alarms = append(c.alarms, a)
	c.ring(c.now)
	return a.c
}

func (c *handClock) set(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leap(d)
}

func (c *handClock) setTrap(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trap = d
}

// leap rings the alarms that it passes over. Alarms that it moves away from still ring after the
// duration of the call: too early, by the clock. The caller holds mu.
func (c *handClock) leap(d time.Duration) {
	d = max(time.Duration(firstTime)-c.now, min(d, time.Duration(lastTime)-c.now))
	if d == 0 {
		return
	}
	l := &c.leaps
	l.high = max(l.high, int64(c.now), int64(c.now+d))
	if d < 0 {
		l.peak = max(l.peak, int64(c.now))
	}
	c.now += d
	l.last, c.reads = int64(c.now), 0
	c.by += d
	for i := range c.alarms {
		c.alarms[i].at += min(d, 0)
	}
	c.ring(c.now)
}

// moveTo moves the clock on, but no further than to the next alarm.
func (c *handClock) moveTo(at time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.alarms {
		at = min(at, a.at)
	}
	c.now, c.reads = at, 0
	if l := &c.leaps; int64(c.now)-l.last > l.calm {
		l.high = longAgo
	}
	c.ring(c.now)
}

// ringAll rings all alarms too early.
func (c *handClock) ringAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring(time.Duration(2 * lastTime))
}

// ring rings the alarms up to a time. The caller holds mu.
func (c *handClock) ring(until time.Duration) {
	c.alarms = slices.DeleteFunc(c.alarms, func(a handAlarm) bool {
		if a.at > until {
			return false
		}
		a.c <- time.Time{}
		return true
	})
}

// history also returns how far the clock was set since the last call.
func (c *handClock) history() (l leaps, by int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	by, c.by = int64(c.by), 0
	return c.leaps, by
}
