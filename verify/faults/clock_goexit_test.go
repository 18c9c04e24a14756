package faults

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// fatalClock ends the goroutine that calls it once callsLeft is used up, as a clock does that calls
// t.FailNow.
type fatalClock struct{ callsLeft atomic.Int64 }

func (c *fatalClock) Now() time.Time {
	c.count()
	return time.Now()
}

func (c *fatalClock) After(d time.Duration) <-chan time.Time {
	c.count()
	return time.After(d)
}

func (c *fatalClock) count() {
	if c.callsLeft.Add(-1) == 0 {
		runtime.Goexit()
	}
}

// Whatever the worker is at when it is ended, another goroutine goes on.
func TestFaultClockEndsTheWorkersGoroutine(t *testing.T) {
	const n = 70 // a batch and some more
	for name, e := range map[string]hashedwheel.Executor{
		"default": nil, "Inline": hashedwheel.Inline{},
		"a goroutine each": hashedwheel.ExecutorFunc(func(f func()) { go f() }),
	} {
		t.Run(name, func(t *testing.T) {
			for call := range int64(3) { // so often the worker reads the clock from here on
				onFatalClock(t, e, func(tm *hashedwheel.Timer, clock *fatalClock, task func()) int64 {
					for range n {
						tm.AfterFunc(10*timertest.Tick, task)
					}
					timertest.Pass(5 * timertest.Tick) // the worker sleeps
					clock.callsLeft.Store(1 + call)
					return n
				})
			}
		})
	}
}

// Also a worker that has only begun.
func TestFaultClockEndsANewWorkersGoroutine(t *testing.T) {
	for call := range int64(5) {
		onFatalClock(t, nil, func(tm *hashedwheel.Timer, clock *fatalClock, task func()) int64 {
			clock.callsLeft.Store(2 + call) // the first is AfterFunc's
			tm.AfterFunc(10*timertest.Tick, task)
			return 1
		})
	}
}

// onFatalClock has arm arm some timeouts on a fatalClock, and wants all to run.
func onFatalClock(t *testing.T, e hashedwheel.Executor, arm func(*hashedwheel.Timer, *fatalClock, func()) (n int64)) {
	t.Helper()
	clock := new(fatalClock)
	opts := []hashedwheel.Option{hashedwheel.WithClock(clock)}
	if e != nil {
		opts = append(opts, hashedwheel.WithExecutor(e))
	}
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var ran atomic.Int64
		n := arm(tm, clock, func() { ran.Add(1) })
		timertest.Pass(20 * timertest.Tick)
		assert.Negative(t, clock.callsLeft.Load(), "no goroutine was ended")
		assert.Equal(t, n, ran.Load())
		assert.NoError(t, timertest.ShutdownErr(tm))
	}, opts...)
}
