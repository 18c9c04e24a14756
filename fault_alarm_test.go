package hashedwheel_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// Clocks whose After does not do what it should. It only ever says when to look:
// what is due is decided by Now, so that a wrong alarm costs time and no promise.

// clockOf is a clock made of what it does: nil is as the system's clock does.
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
		return time.After(d)
	}
	return c.after(d)
}

// onClockOf is inBubble with a timer on such a clock.
func onClockOf(t *testing.T, clock *clockOf, f func(t *testing.T, tm *hashedwheel.Timer)) {
	t.Helper()
	inBubble(t, f, onWorker, hashedwheel.WithClock(clock))
}

// afterwards calls ring with a channel once d has passed.
func afterwards(d time.Duration, ring func(c chan time.Time)) <-chan time.Time {
	c := make(chan time.Time, 2)
	time.AfterFunc(d, func() { ring(c) })
	return c
}

var wrongAlarms = map[string]func(d time.Duration) <-chan time.Time{
	"early, each time by half": func(d time.Duration) <-chan time.Time { return time.After((d + 1) / 2) },
	"at each tick":             func(time.Duration) <-chan time.Time { return time.After(oneTick) },
	"ten ticks late":           func(d time.Duration) <-chan time.Time { return time.After(d + 10*oneTick) },
	"twice": func(d time.Duration) <-chan time.Time {
		return afterwards(d, func(c chan time.Time) { c <- time.Now(); c <- time.Now() })
	},
	"with a time of its own": func(d time.Duration) <-chan time.Time {
		return afterwards(d, func(c chan time.Time) { c <- time.Time{} })
	},
	"by closing the channel": func(d time.Duration) <-chan time.Time {
		return afterwards(d, func(c chan time.Time) { close(c) })
	},
}

func TestFaultAlarmThatRingsWrongly(t *testing.T) {
	for name, after := range wrongAlarms {
		t.Run(name, func(t *testing.T) {
			onClockOf(t, &clockOf{after: after}, func(t *testing.T, tm *hashedwheel.Timer) {
				delays := []time.Duration{-1, 0, 1, oneTick / 2, oneTick, 11*oneTick/2 + 1, 100 * oneTick, time.Second}
				most := oneTick
				if name == "ten ticks late" {
					most += 10 * oneTick
				}
				for i, late := range lateness(tm, delays) {
					assert.GreaterOrEqual(t, late, time.Duration(0), "a delay of %v", delays[i])
					assert.LessOrEqual(t, late, most, "a delay of %v", delays[i])
				}
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// One that rings at once has the worker look again and again, as the clock told
// it to; the timer serves everybody all the same.
func TestFaultAlarmThatRingsAtOnce(t *testing.T) {
	rung := make(chan time.Time)
	close(rung)
	for name, after := range map[string]func(d time.Duration) <-chan time.Time{
		"each anew":             func(time.Duration) <-chan time.Time { return time.After(0) },
		"one for all":           func(time.Duration) <-chan time.Time { return rung },
		"with no channel, even": func(time.Duration) <-chan time.Time { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			tm := newTickingTimer(onWorker, hashedwheel.WithClock(&clockOf{after: after}))
			far := tm.AfterFunc(time.Hour, nop)
			returns(t, func() {
				for _, late := range lateness(tm, []time.Duration{0, oneTick, 30 * oneTick}) {
					assert.GreaterOrEqual(t, late, time.Duration(0))
				}
				assert.Equal(t, 1, tm.Pending())
				assert.Equal(t, []*hashedwheel.Timeout{far}, shutdown(t, tm))
			})
		})
	}
}

// An alarm that is lost leaves all that is pending where it is: with Pending and
// Stop, and for the next arming to have the worker look.
func TestFaultAlarmThatIsLost(t *testing.T) {
	after := func(d time.Duration) <-chan time.Time {
		if d > 2*oneTick {
			return make(chan time.Time)
		}
		return time.After(d)
	}
	onClockOf(t, &clockOf{after: after}, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(10*oneTick, nop)
		pass(time.Hour)
		assert.Equal(t, hashedwheel.Pending, to.State())
		assert.Equal(t, 1, tm.Pending())
		far := tm.AfterFunc(time.Hour, nop)
		pass(2 * oneTick)
		assert.Equal(t, hashedwheel.Expired, to.State(), "once somebody comes by")
		assert.Equal(t, []*hashedwheel.Timeout{far}, tm.Stop())
	})
}

// All but the worker go on.
func TestFaultAlarmThatIsLongInComing(t *testing.T) {
	var asked atomic.Bool
	after := func(d time.Duration) <-chan time.Time {
		asked.Store(true)
		time.Sleep(time.Hour)
		return time.After(d)
	}
	onClockOf(t, &clockOf{after: after}, func(t *testing.T, tm *hashedwheel.Timer) {
		to := owned(tm, nopTask)
		to.Reset(oneTick)
		synctest.Wait()
		require.True(t, asked.Load())
		start := time.Now()
		assert.True(t, to.Reset(2*oneTick))
		assert.Equal(t, 1, tm.Pending())
		assert.True(t, to.Stop())
		to.Reset(oneTick)
		assert.Equal(t, []*hashedwheel.Timeout{to}, tm.Stop())
		assert.Zero(t, time.Since(start), "nothing waited")
		pass(2 * time.Hour)
	})
}
