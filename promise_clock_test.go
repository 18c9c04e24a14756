package hashedwheel_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// steppingClock is the bubble's clock, set forward or back by hand, as a wall
// clock is. A step forward rings the alarms that it passes; a step back does not
// hold them up, so that they ring too early by the clock.
type steppingClock struct {
	mu     sync.Mutex
	ahead  time.Duration
	alarms []alarm
}

type alarm struct {
	at time.Time
	c  chan time.Time
}

func (c *steppingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *steppingClock) After(d time.Duration) <-chan time.Time {
	a := alarm{c.Now().Add(d), make(chan time.Time, 1)}
	time.AfterFunc(d, a.ring)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alarms = append(c.alarms, a)
	return a.c
}

func (c *steppingClock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	for _, a := range c.alarms {
		if !a.at.After(time.Now().Add(c.ahead)) {
			a.ring()
		}
	}
}

func (a alarm) ring() {
	select {
	case a.c <- time.Now():
	default:
	}
}

// onSteppingClock is inBubble with a timer on a steppingClock.
func onSteppingClock(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock)) {
	t.Helper()
	clock := new(steppingClock)
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, clock) },
		hashedwheel.WithClock(clock), hashedwheel.WithWheelSize(8))
}

// note arms a timeout and returns where the clock's time of its run will be.
func note(tm *hashedwheel.Timer, clock hashedwheel.Clock, d time.Duration) *time.Time {
	at := new(time.Time)
	tm.AfterFunc(d, func() { *at = clock.Now() })
	return at
}

var manyDelays = []time.Duration{0, oneTick, 7 * oneTick, 8 * oneTick, 100 * oneTick, time.Second, time.Minute, time.Hour, 24 * time.Hour}

func TestNeverEarlyWhenTheClockJumpsForward(t *testing.T) {
	onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
		start := clock.Now()
		var ran []*time.Time
		for _, d := range manyDelays {
			ran = append(ran, note(tm, clock, d))
		}
		pass(oneTick / 2)
		clock.step(time.Minute - oneTick)
		pass(48 * time.Hour)
		for i, d := range manyDelays {
			assert.GreaterOrEqual(t, ran[i].Sub(start), d)
		}
	})
}

func TestAtMostOneTickLateWhenTheClockJumpsForward(t *testing.T) {
	onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
		start, jump := clock.Now(), 20*24*time.Hour
		passedOver, beyond := note(tm, clock, time.Hour), note(tm, clock, jump+time.Hour)
		pass(10 * oneTick)
		clock.step(jump)
		landed := clock.Now()
		synctest.Wait()
		assert.Equal(t, landed, *passedOver, "what was passed over runs at once")
		fresh := note(tm, clock, 5*oneTick)
		pass(10 * oneTick)
		assert.WithinRange(t, *fresh, landed.Add(5*oneTick), landed.Add(6*oneTick))
		pass(2 * time.Hour)
		assert.WithinRange(t, *beyond, start.Add(jump+time.Hour), start.Add(jump+time.Hour+oneTick))
	})
}

func TestNeverEarlyWhenTheClockStepsBack(t *testing.T) {
	for _, back := range []time.Duration{1, oneTick, 5 * oneTick, time.Minute, 3 * time.Hour, 400 * 24 * time.Hour} {
		t.Run("by "+back.String(), func(t *testing.T) {
			onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
				pass(time.Hour)
				start := clock.Now()
				var ran []*time.Time
				for _, d := range manyDelays {
					ran = append(ran, note(tm, clock, d+10*oneTick))
				}
				pass(oneTick + oneTick/2)
				clock.step(-back)
				pass(48*time.Hour + back)
				for i, d := range manyDelays {
					deadline := start.Add(d + 10*oneTick)
					assert.WithinRange(t, *ran[i], deadline, deadline.Add(oneTick))
				}
			})
		})
	}
}

func TestAtMostOneTickLateAfterTheClockSteppedBack(t *testing.T) {
	for _, back := range []time.Duration{1, oneTick, 5 * oneTick, time.Minute, 3 * time.Hour, 400 * 24 * time.Hour} {
		for _, pending := range []bool{false, true} {
			t.Run(fmt.Sprintf("by %v, Pending called=%v", back, pending), func(t *testing.T) {
				onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
					pass(time.Hour)
					note(tm, clock, 24*time.Hour)
					pass(time.Minute)
					clock.step(-back)
					start := clock.Now()
					var ran []*time.Time
					for _, d := range manyDelays {
						ran = append(ran, note(tm, clock, d))
						if pending {
							tm.Pending() // files it
						}
					}
					pass(48*time.Hour + back)
					for i, d := range manyDelays {
						assert.WithinRange(t, *ran[i], start.Add(d), start.Add(d+oneTick))
					}
				})
			})
		}
	}
}

// The worker is kept busy all the while: it never sleeps through a step.
func TestNeverEarlyWhileTheClockStepsToAndFro(t *testing.T) {
	onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
		var ran atomic.Int64
		for i := range 400 {
			d := time.Duration(i%50) * oneTick / 3
			deadline := clock.Now().Add(d)
			tm.AfterFunc(d, func() {
				assert.False(t, clock.Now().Before(deadline))
				ran.Add(1)
			})
			pass(oneTick / 4)
			if i%10 == 3 {
				clock.step(20 * oneTick)
			}
			if i%10 == 7 {
				clock.step(-20*oneTick - oneTick/5)
			}
		}
		pass(time.Minute)
		assert.Equal(t, int64(400), ran.Load())
		assert.Zero(t, tm.Pending())
	})
}
