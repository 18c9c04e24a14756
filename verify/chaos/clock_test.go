package chaos

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// wildClock is the system's clock, occasionally set forward by up to 200 days. When a member of a life reads it, it
// sometimes panics or ends the goroutine instead; in the library's own goroutines it only ends them, since a panic
// there ends the program.
type wildClock struct {
	isTame atomic.Bool // it no longer panics

	mu     sync.Mutex
	ahead  time.Duration // guarded by mu
	alarms []wildAlarm   // guarded by mu
}

type wildAlarm struct {
	at time.Time
	c  chan time.Time
}

// mishap is the value with which the clock, tasks, executors and panic handlers panic.
type mishap struct{ of string }

func (c *wildClock) Now() time.Time {
	c.mu.Lock()
	now := time.Now().Add(c.ahead)
	c.mu.Unlock()
	if rand.IntN(2000) == 0 && !c.isTame.Load() {
		c.fail()
	}
	return now
}

func (c *wildClock) fail() {
	if rand.IntN(4) > 0 && isOnMember() {
		panic(mishap{"clock"})
	}
	runtime.Goexit()
}

// isOnMember reports whether a member of a life has called.
func isOnMember() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "chaos.(*life).member") {
			return true
		}
		if !more {
			return false
		}
	}
}

func (c *wildClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := wildAlarm{time.Now().Add(c.ahead).Add(d), make(chan time.Time, 1)}
	c.alarms = append(c.alarms, a)
	return a.c
}

// set sets the clock forward.
func (c *wildClock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if next := c.ahead + by; next < 8*365*24*time.Hour { // within a timer's range
		c.ahead = next
	}
}

// ring rings alarms that are due.
func (c *wildClock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Add(c.ahead)
	rest := c.alarms[:0]
	for _, a := range c.alarms {
		if a.at.After(now) {
			rest = append(rest, a)
		} else {
			a.c <- now
		}
	}
	c.alarms = rest
}

// hasShown reports whether the clock has shown a time.
func (c *wildClock) hasShown(at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !time.Now().Add(c.ahead).Before(at)
}

// drive rings alarms, and occasionally sets the clock, until quit is closed.
func (c *wildClock) drive(quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond):
		}
		if rand.IntN(20) == 0 {
			c.set(leap())
		}
		c.ring()
	}
}

// leap is up to 200 days; most are short.
func leap() time.Duration {
	most := []time.Duration{time.Millisecond, time.Second, time.Hour, 200 * 24 * time.Hour}[rand.IntN(4)]
	return time.Duration(rand.Int64N(int64(most)))
}
