package faults

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Clocks that misbehave. After only wakes the worker, which decides by Now which timeouts are due: a wrong alarm costs
// time, but breaks no promise. verify/fuzz has clocks that stand still, and clocks that leap.

// clockOf is a clock made of two functions; a nil function is the system clock's.
type clockOf struct {
	now   func() time.Time
	after func(d time.Duration) <-chan time.Time
}

func (c *clockOf) Now() time.Time {
	if c.now == nil {
		return time.Now()
	}
	return c.now()
}

func (c *clockOf) After(d time.Duration) <-chan time.Time {
	if c.after == nil {
		return time.After(max(1, d)) // timers that ring at once in a bubble crash the race detector, golang/go#78156
	}
	return c.after(d)
}

// onClockOf is InBubble with a timer on such a clock.
func onClockOf(t *testing.T, clock *clockOf, f func(t *testing.T, tm *hashedwheel.Timer)) {
	t.Helper()
	timertest.InBubble(t, f, timertest.OnWorker, hashedwheel.WithClock(clock))
}

// laterCall calls ring with a channel once d has passed.
func laterCall(d time.Duration, ring func(c chan time.Time)) <-chan time.Time {
	c := make(chan time.Time, 2)
	time.AfterFunc(d, func() { ring(c) })
	return c
}

var wrongAlarms = map[string]func(d time.Duration) <-chan time.Time{
	"early, each time by half": func(d time.Duration) <-chan time.Time { return time.After((d + 1) / 2) },
	"at each tick":             func(time.Duration) <-chan time.Time { return time.After(timertest.Tick) },
	"ten ticks late":           func(d time.Duration) <-chan time.Time { return time.After(d + 10*timertest.Tick) },
	"twice": func(d time.Duration) <-chan time.Time {
		return laterCall(d, func(c chan time.Time) { c <- time.Now(); c <- time.Now() })
	},
	"with a time of its own": func(d time.Duration) <-chan time.Time {
		return laterCall(d, func(c chan time.Time) { c <- time.Time{} })
	},
	"by closing the channel": func(d time.Duration) <-chan time.Time {
		return laterCall(d, func(c chan time.Time) { close(c) })
	},
}

func TestFaultAlarmThatRingsWrongly(t *testing.T) {
	for name, after := range wrongAlarms {
		t.Run(name, func(t *testing.T) {
			onClockOf(t, &clockOf{after: after}, func(t *testing.T, tm *hashedwheel.Timer) {
				delays := []time.Duration{-1, 0, 1, timertest.Tick / 2, timertest.Tick, 11*timertest.Tick/2 + 1,
					100 * timertest.Tick, time.Second}
				most := timertest.Tick
				if name == "ten ticks late" {
					most += 10 * timertest.Tick
				}
				for i, late := range timertest.Lateness(tm, delays) {
					assert.GreaterOrEqual(t, late, time.Duration(0), "a delay of %v", delays[i])
					assert.LessOrEqual(t, late, most, "a delay of %v", delays[i])
				}
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// An alarm that rings at once makes the worker run again and again; the timer still serves all timeouts.
func TestFaultAlarmThatRingsAtOnce(t *testing.T) {
	rung := make(chan time.Time)
	close(rung)
	for name, after := range map[string]func(d time.Duration) <-chan time.Time{
		"each alarm":  func(time.Duration) <-chan time.Time { return time.After(0) },
		"one for all": func(time.Duration) <-chan time.Time { return rung },
	} {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(timertest.OnWorker, hashedwheel.WithClock(&clockOf{after: after}))
			far := tm.AfterFunc(time.Hour, timertest.Nop)
			timertest.Returns(t, func() {
				for _, late := range timertest.Lateness(tm, []time.Duration{0, timertest.Tick, 30 * timertest.Tick}) {
					assert.GreaterOrEqual(t, late, time.Duration(0))
				}
				assert.Equal(t, 1, tm.Pending())
				assert.Equal(t, []*hashedwheel.Timeout{far}, timertest.Shutdown(t, tm))
			})
		})
	}
}

// If an alarm is lost, all pending timeouts stay: Pending counts them, Stop returns them, and the next arming wakes the
// worker.
func TestFaultAlarmThatIsLost(t *testing.T) {
	after := func(d time.Duration) <-chan time.Time {
		if d > 2*timertest.Tick {
			return make(chan time.Time)
		}
		return time.After(d)
	}
	onClockOf(t, &clockOf{after: after}, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(10*timertest.Tick, timertest.Nop)
		timertest.Pass(time.Hour)
		assert.Equal(t, hashedwheel.Pending, to.State())
		assert.Equal(t, 1, tm.Pending())
		far := tm.AfterFunc(time.Hour, timertest.Nop)
		assert.ElementsMatch(t, []*hashedwheel.Timeout{to, far}, tm.StopAll())
		timertest.Pass(1)
		assert.Zero(t, timertest.LibraryGoroutines())
	})
}

// Everything but the worker continues.
func TestFaultAlarmThatIsDelayed(t *testing.T) {
	var asked atomic.Bool
	after := func(d time.Duration) <-chan time.Time {
		asked.Store(true)
		time.Sleep(time.Hour)
		return time.After(d)
	}
	onClockOf(t, &clockOf{after: after}, func(t *testing.T, tm *hashedwheel.Timer) {
		to := timertest.Owned(tm, timertest.NopTask)
		to.Reset(timertest.Tick)
		synctest.Wait()
		require.True(t, asked.Load())
		start := time.Now()
		assert.True(t, to.Reset(2*timertest.Tick))
		assert.Equal(t, 1, tm.Pending())
		assert.True(t, to.Stop())
		to.Reset(timertest.Tick)
		assert.Equal(t, []*hashedwheel.Timeout{to}, tm.StopAll())
		assert.Zero(t, time.Since(start), "nothing waited")
		timertest.Pass(2 * time.Hour)
	})
}

// Some fake clocks move on by themselves in this way.
func TestFaultClockMovesOnAtEachLook(t *testing.T) {
	for _, by := range []time.Duration{1, timertest.Tick - 1, timertest.Tick, 7 * timertest.Tick, time.Hour} {
		t.Run("by "+by.String(), func(t *testing.T) {
			var ahead atomic.Int64
			clock := &clockOf{now: func() time.Time { return time.Now().Add(time.Duration(ahead.Add(int64(by)))) }}
			onClockOf(t, clock, func(t *testing.T, tm *hashedwheel.Timer) {
				ran := 0
				for i := range 100 {
					d := time.Duration(1+i)*10*timertest.Tick - timertest.Tick/30
					deadline := clock.Now().Add(d)
					tm.AfterFunc(d, func() {
						ran++
						assert.False(t, clock.Now().Before(deadline), "early")
					})
				}
				timertest.Pass(2000 * timertest.Tick)
				assert.Equal(t, 100, ran)
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// A worker that read the clock until the alarm lies ahead of it would do nothing else, and would not see Stop.
func TestFaultClockMovesOnAtEachAlarm(t *testing.T) {
	for _, by := range []time.Duration{3 * timertest.Tick, time.Minute} {
		t.Run("by "+by.String(), func(t *testing.T) {
			var ahead, alarms atomic.Int64
			now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
			after := func(d time.Duration) <-chan time.Time {
				if alarms.Add(1) < 1000 { // a mistake must not go on forever
					ahead.Add(int64(by))
				}
				return time.After(max(1, d))
			}
			onClockOf(t, &clockOf{now, after}, func(t *testing.T, tm *hashedwheel.Timer) {
				to := tm.AfterFunc(24*time.Hour, timertest.Nop)
				timertest.Pass(1)
				assert.LessOrEqual(t, alarms.Load(), int64(6))
				assert.Equal(t, []*hashedwheel.Timeout{to}, timertest.Shutdown(t, tm))
			})
		})
	}
}
