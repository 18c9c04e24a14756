package fuzz

import (
	"slices"
	"sync"
	"time"
)

// handClock is a clock that is set forward by hand, even between two readings by the worker. Otherwise it stands still.
type handClock struct {
	start time.Time

	mu     sync.Mutex
	now    time.Duration // since start
	alarms []handAlarm
	last   time.Duration // when it was last set: timeouts in the skipped time are due then
	by     time.Duration // how far it was set since the last look at history
	trap   time.Duration // how far it is set at the next call of After
	reads  int           // of Now, since it last moved
}

type handAlarm struct {
	at time.Duration
	c  chan time.Time
}

const longAgo = -2 * lastTime

func newHandClock(start time.Time) *handClock {
	return &handClock{start: start, last: time.Duration(longAgo)}
}

// tooManyReads is the number of reads after which the worker counts as spinning.
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

// leap rings the alarms that it passes over. The caller holds mu.
func (c *handClock) leap(d time.Duration) {
	d = min(d, time.Duration(lastTime)-c.now)
	if d <= 0 {
		return
	}
	c.now += d
	c.last, c.reads = c.now, 0
	c.by += d
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
	c.ring(c.now)
}

// ringAll rings all alarms, too early.
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

// history returns when the clock was last set, and how far since the last call.
func (c *handClock) history() (last, by int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	by, c.by = int64(c.by), 0
	return int64(c.last), by
}
