package promises

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// note arms a timeout and returns where the clock's time of its run will be.
func note(tm *hashedwheel.Timer, clock hashedwheel.Clock, d time.Duration) *time.Time {
	at := new(time.Time)
	tm.AfterFunc(d, func() { *at = clock.Now() })
	return at
}

func TestNeverEarlyWhenTheClockJumpsForward(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		start := clock.Now()
		var ran []*time.Time
		for _, d := range timertest.ManyDelays {
			ran = append(ran, note(tm, clock, d))
		}
		timertest.Pass(timertest.Tick / 2)
		clock.Step(time.Minute - timertest.Tick)
		timertest.Pass(48 * time.Hour)
		for i, d := range timertest.ManyDelays {
			assert.GreaterOrEqual(t, ran[i].Sub(start), d)
		}
	})
}

func TestAtMostOneTickLateWhenTheClockJumpsForward(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		start, jump := clock.Now(), 20*24*time.Hour
		passedOver, beyond := note(tm, clock, time.Hour), note(tm, clock, jump+time.Hour)
		timertest.Pass(10 * timertest.Tick)
		clock.Step(jump)
		landed := clock.Now()
		synctest.Wait()
		assert.Equal(t, landed, *passedOver, "what was passed over runs at once")
		fresh := note(tm, clock, 5*timertest.Tick)
		timertest.Pass(10 * timertest.Tick)
		assert.WithinRange(t, *fresh, landed.Add(5*timertest.Tick), landed.Add(6*timertest.Tick))
		timertest.Pass(2 * time.Hour)
		assert.WithinRange(t, *beyond, start.Add(jump+time.Hour), start.Add(jump+time.Hour+timertest.Tick))
	})
}

func TestNeverEarlyWhenTheClockStepsBack(t *testing.T) {
	for _, back := range []time.Duration{1, timertest.Tick, 5 * timertest.Tick, time.Minute, 3 * time.Hour, 400 * 24 * time.Hour} {
		t.Run("by "+back.String(), func(t *testing.T) {
			timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
				timertest.Pass(time.Hour)
				start := clock.Now()
				var ran []*time.Time
				for _, d := range timertest.ManyDelays {
					ran = append(ran, note(tm, clock, d+10*timertest.Tick))
				}
				timertest.Pass(timertest.Tick + timertest.Tick/2)
				clock.Step(-back)
				timertest.Pass(48*time.Hour + back)
				for i, d := range timertest.ManyDelays {
					deadline := start.Add(d + 10*timertest.Tick)
					assert.WithinRange(t, *ran[i], deadline, deadline.Add(timertest.Tick))
				}
			})
		})
	}
}

func TestAtMostOneTickLateAfterTheClockSteppedBack(t *testing.T) {
	for _, back := range []time.Duration{1, timertest.Tick, 5 * timertest.Tick, time.Minute, 3 * time.Hour, 400 * 24 * time.Hour} {
		for _, pending := range []bool{false, true} {
			t.Run(fmt.Sprintf("by %v, Pending called=%v", back, pending), func(t *testing.T) {
				timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
					timertest.Pass(time.Hour)
					note(tm, clock, 24*time.Hour)
					timertest.Pass(time.Minute)
					clock.Step(-back)
					start := clock.Now()
					var ran []*time.Time
					for _, d := range timertest.ManyDelays {
						ran = append(ran, note(tm, clock, d))
						if pending {
							tm.Pending() // files it
						}
					}
					timertest.Pass(48*time.Hour + back)
					for i, d := range timertest.ManyDelays {
						assert.WithinRange(t, *ran[i], start.Add(d), start.Add(d+timertest.Tick))
					}
				})
			})
		}
	}
}

// The clock shows a tick again that the worker has closed: the documented exception.
func TestAtMostTwoTicksLateAfterTheClockSteppedBackIntoAClosedTick(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		timertest.Pass(100 * time.Hour)
		note(tm, clock, 1000*time.Hour)
		for range 100 {
			tm.AfterFunc(time.Hour, timertest.Nop).Stop()
			tm.Pending() // the worker finds nothing to file, and parks a tick earlier
			timertest.Pass(time.Minute)
			clock.Step(-time.Minute)
			due := clock.Now()
			at := note(tm, clock, 0)
			timertest.Pass(2 * time.Minute)
			assert.WithinRange(t, *at, due, due.Add(2*timertest.Tick))
		}
	})
}

// The worker is kept busy all the while: it never sleeps through a step.
func TestNeverEarlyWhileTheClockStepsToAndFro(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		var ran atomic.Int64
		for i := range 400 {
			d := time.Duration(i%50) * timertest.Tick / 3
			deadline := clock.Now().Add(d)
			tm.AfterFunc(d, func() {
				assert.False(t, clock.Now().Before(deadline))
				ran.Add(1)
			})
			timertest.Pass(timertest.Tick / 4)
			if i%10 == 3 {
				clock.Step(20 * timertest.Tick)
			}
			if i%10 == 7 {
				clock.Step(-20*timertest.Tick - timertest.Tick/5)
			}
		}
		timertest.Pass(time.Minute)
		assert.Equal(t, int64(400), ran.Load())
		assert.Zero(t, tm.Pending())
	})
}

// The clock leaps ahead, then a task sets it back and does not come back to the
// worker, while more is to be handed out than fits a batch: the pass for the far
// tick never ends, and another one begins at the near tick.
func TestAtMostOneTickLateAfterATaskThatSetTheClockBackLeftTheWorker(t *testing.T) {
	for name, leave := range map[string]func(){
		"by Goexit":   runtime.Goexit,
		"for a while": func() { time.Sleep(4 * timertest.Tick) },
	} {
		t.Run(name, func(t *testing.T) {
			clock := new(timertest.SteppingClock)
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(5*timertest.Tick, func() {
					clock.Step(-time.Hour)
					leave()
				})
				for range 200 {
					tm.AfterFunc(6*timertest.Tick, timertest.Nop)
				}
				timertest.Pass(timertest.Tick / 2)
				clock.Step(time.Hour + 10*timertest.Tick)
				timertest.Pass(20 * timertest.Tick)
				ran := note(tm, clock, timertest.Tick)
				deadline := clock.Now().Add(timertest.Tick)
				timertest.Pass(10 * timertest.Tick)
				assert.WithinRange(t, *ran, deadline, deadline.Add(timertest.Tick))
			}, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
		})
	}
}
