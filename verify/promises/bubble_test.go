package promises

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const outsideItsBubble = "hashedwheel: Timer made outside a testing/synctest bubble and used inside: " +
	"make it in the bubble"

// The clock of a bubble begins in the year 2000: deadlines by it would be 26 years
// before the timer was made.
func TestATimerFromOutsideTheBubblePanics(t *testing.T) {
	pending := func() *hashedwheel.Timer {
		tm := timertest.New()
		tm.AfterFunc(time.Hour, timertest.Nop)
		time.Sleep(10 * timertest.Tick)
		return tm
	}
	onRealTime := hashedwheel.WithClock(realTime{})
	for worker, made := range map[string]func() *hashedwheel.Timer{
		"without a worker":          func() *hashedwheel.Timer { return timertest.New() },
		"on a user's clock":         func() *hashedwheel.Timer { return timertest.New(onRealTime) },
		"with a worker at its rest": pending,
	} {
		for name, use := range map[string]func(tm *hashedwheel.Timer){
			"AfterFunc":    func(tm *hashedwheel.Timer) { tm.AfterFunc(time.Second, timertest.Nop) },
			"AfterFunc(0)": func(tm *hashedwheel.Timer) { tm.AfterFunc(0, timertest.Nop) },
			"Schedule":     func(tm *hashedwheel.Timer) { _, _ = tm.Schedule(time.Second, timertest.NopTask) },
			"Reset":        func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).Reset(time.Second) },
			"ResetAt": func(tm *hashedwheel.Timer) {
				timertest.Owned(tm, timertest.NopTask).ResetAt(time.Now().Add(time.Second))
			},
			"ResetAt of its Now": func(tm *hashedwheel.Timer) {
				timertest.Owned(tm, timertest.NopTask).ResetAt(tm.Now())
			},
			"After": func(tm *hashedwheel.Timer) { tm.After(time.Second) },
			"Every": func(tm *hashedwheel.Timer) { tm.Every(time.Second, func(*hashedwheel.Series) {}) },
			"Recur": func(tm *hashedwheel.Timer) { tm.Recur(everySecond{}, func(*hashedwheel.Series) {}) },
			"Now":   func(tm *hashedwheel.Timer) { tm.Now() },
			"Stats": func(tm *hashedwheel.Timer) { tm.Stats() },
		} {
			if worker == "on a user's clock" && name == "Now" {
				continue // it may be read anywhere
			}
			t.Run(name+", "+worker, func(t *testing.T) {
				tm := made()
				synctest.Test(t, func(t *testing.T) {
					assert.PanicsWithValue(t, outsideItsBubble, func() { use(tm) })
				})
				tm.Stop()
			})
		}
	}
}

type everySecond struct{}

func (everySecond) Next(now time.Time) time.Time { return now.Add(time.Second) }

// The panic comes before anything has changed: a program may recover it.
func TestATimerFromOutsideTheBubbleIsAsBeforeAfterThePanic(t *testing.T) {
	for name, call := range map[string]func(to *hashedwheel.Timeout, at time.Time){
		"ResetAt": func(to *hashedwheel.Timeout, at time.Time) { to.ResetAt(at) },
		"MoveAt":  func(to *hashedwheel.Timeout, at time.Time) { to.MoveAt(at) },
	} {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New()
			defer tm.Stop()
			to, at := timertest.Owned(tm, timertest.NopTask), time.Now().Add(30*time.Minute)
			if name == "MoveAt" {
				to.Reset(time.Hour)
				time.Sleep(100 * time.Millisecond) // it is filed, and nothing is queued
			}
			before, deadline := to.State(), to.Deadline()
			synctest.Test(t, func(t *testing.T) {
				assert.PanicsWithValue(t, outsideItsBubble, func() { call(to, at) })
			})
			assert.Equal(t, before, to.State())
			assert.Equal(t, deadline, to.Deadline())
			timertest.Returns(t, func() { <-tm.After(0) }) // outside, the timer serves on
		})
	}
}

// ownTime is a user's Clock that no bubble changes.
type ownTime struct{}

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func (ownTime) Now() time.Time { return noon }

func (ownTime) After(time.Duration) <-chan time.Time { return make(chan time.Time) }

func TestAPanicAboutBubblesTakesNoPlace(t *testing.T) {
	for name, arm := range map[string]func(tm *hashedwheel.Timer){
		"ResetAt":   func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).ResetAt(tm.Now().Add(1e12)) },
		"AfterFunc": func(tm *hashedwheel.Timer) { tm.AfterFunc(time.Hour, timertest.Nop) },
		"Schedule":  func(tm *hashedwheel.Timer) { _, _ = tm.Schedule(time.Hour, timertest.NopTask) },
	} {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(hashedwheel.WithMaxPending(1), hashedwheel.WithClock(ownTime{}))
			defer tm.Stop()
			synctest.Test(t, func(t *testing.T) {
				assert.PanicsWithValue(t, outsideItsBubble, func() { arm(tm) })
			})
			assert.Zero(t, tm.Pending())
			_, err := tm.Schedule(time.Hour, timertest.NopTask)
			assert.NoError(t, err)
		})
	}
}

func TestATimeoutThatCannotBeStoppedOutsideItsBubbleIsPending(t *testing.T) {
	var to *hashedwheel.Timeout
	synctest.Test(t, func(t *testing.T) {
		to = timertest.New().AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(time.Minute)
	})
	assert.Panics(t, func() { to.Stop() })
	assert.Equal(t, hashedwheel.Pending, to.State())
}

// A lazy global whose first caller is a test in a bubble would run nothing for the rest of the process.
func TestATimerFromABubblePanicsOutside(t *testing.T) {
	const inItsBubble = "hashedwheel: Timer made in a testing/synctest bubble and used outside: " +
		"make it where it is used"
	for name, use := range map[string]func(tm *hashedwheel.Timer, filed *hashedwheel.Timeout){
		"AfterFunc":    func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) { tm.AfterFunc(1, timertest.Nop) },
		"Schedule":     func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) { tm.Schedule(0, timertest.NopTask) },
		"Reset":        func(_ *hashedwheel.Timer, to *hashedwheel.Timeout) { to.Reset(time.Second) },
		"ResetAt":      func(_ *hashedwheel.Timer, to *hashedwheel.Timeout) { to.ResetAt(time.Now()) },
		"Move":         func(_ *hashedwheel.Timer, to *hashedwheel.Timeout) { to.Move(time.Second) },
		"MoveAt":       func(_ *hashedwheel.Timer, to *hashedwheel.Timeout) { to.MoveAt(time.Now()) },
		"Timeout.Stop": func(_ *hashedwheel.Timer, to *hashedwheel.Timeout) { to.Stop() },
		"Timer.Stop":   func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) { tm.Stop() },
		"After":        func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) { tm.After(time.Second) },
		"Every": func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) {
			tm.Every(time.Second, func(*hashedwheel.Series) {})
		},
		"Stats": func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) { tm.Stats() },
		"Now":   func(tm *hashedwheel.Timer, _ *hashedwheel.Timeout) { tm.Now() },
	} {
		for clock, opts := range map[string][]hashedwheel.Option{
			"the system's": nil, "a user's": {hashedwheel.WithClock(realTime{})},
		} {
			if clock != "the system's" && name == "Now" {
				continue // a user's clock may be read anywhere
			}
			t.Run(name+", "+clock, func(t *testing.T) {
				var tm *hashedwheel.Timer
				var filed *hashedwheel.Timeout
				synctest.Test(t, func(t *testing.T) {
					tm = timertest.New(opts...)
					filed = tm.AfterFunc(time.Hour, timertest.Nop)
					timertest.Pass(time.Minute)
					if clock != "the system's" {
						filed.Stop() // or a goroutine would wait in the bubble
						timertest.Pass(time.Minute)
						filed = timertest.Owned(tm, timertest.NopTask)
					}
				})
				if filed.State() == hashedwheel.Unarmed && (name == "Timeout.Stop" || name == "Move") {
					return
				}
				assert.PanicsWithValue(t, inItsBubble, func() { use(tm, filed) })
			})
		}
	}
	synctest.Test(t, func(t *testing.T) { // twenty years in a bubble are no mistake
		tm := timertest.New()
		time.Sleep(20 * 365 * 24 * time.Hour)
		tm.AfterFunc(time.Hour, timertest.Nop)
		tm.Stop()
	})
}

// It can be stopped from anywhere: that reads no clock.
func TestATimerFromOutsideTheBubbleMayBeStoppedInside(t *testing.T) {
	filedOne := timertest.New()
	filed := filedOne.AfterFunc(time.Hour, timertest.Nop)
	time.Sleep(100 * time.Millisecond)
	synctest.Test(t, func(t *testing.T) { assert.True(t, filed.Stop(), "nothing is queued") })
	filedOne.Stop()
	tm := timertest.New()
	to := tm.AfterFunc(time.Hour, timertest.Nop)
	other := tm.AfterFunc(time.Hour, timertest.Nop)
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, to.Stop())
		assert.Equal(t, []*hashedwheel.Timeout{other}, tm.Stop())
	})
}

// A goroutine that stops so many checks whether the worker's alarm has rung. If nothing is ever due, no waker is set,
// and the stopped timeouts fill a part of the queue.
func TestACrowdFromOutsideTheBubbleMayBeStoppedInside(t *testing.T) {
	for name, c := range map[string]struct{ tick, delay time.Duration }{
		"due in ten hours": {time.Hour, 10 * time.Hour},
		"never due":        {timertest.Tick, 1 << 62},
	} {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(hashedwheel.WithTick(c.tick))
			all := make([]*hashedwheel.Timeout, 20_000)
			for i := range all {
				all[i] = tm.AfterFunc(c.delay, timertest.Nop)
			}
			require.Equal(t, len(all), tm.Pending(), "none is left in the queue")
			time.Sleep(300 * timertest.Tick) // the worker waits, or has nothing to wait for
			synctest.Test(t, func(t *testing.T) {
				for _, to := range all {
					require.True(t, to.Stop())
				}
				assert.Empty(t, tm.Stop())
			})
		})
	}
}

// A ManualClock knows nothing of bubbles.
func TestATimerOnAManualClockServesInAnyBubble(t *testing.T) {
	clock, tm := timertest.NewManual()
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			var log timertest.RunLog
			timertest.Owned(tm, &log).Reset(time.Second)
			timertest.Owned(tm, &log).ResetAt(clock.Now().Add(-time.Hour))
			clock.Advance(time.Second)
			assert.Equal(t, 2, log.Count())
		})
	}
}

// realTime is a user's Clock that reads package time.
type realTime struct{}

func (realTime) Now() time.Time { return time.Now() }

func (realTime) After(d time.Duration) <-chan time.Time { return time.After(d) }

// In a bubble two timers of package time's that ring at once crash the race detector (golang/go#78156), so the next
// worker must not be called by one.
func TestTasksThatEndTheWorkerInABubble(t *testing.T) {
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			for range 4 {
				go func() {
					for range 200 {
						tm := timertest.New(timertest.OnWorker)
						timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
							to.Reset(0)
							runtime.Goexit()
						})).Reset(0)
					}
				}()
			}
			timertest.Pass(10 * timertest.Tick)
		})
	}
}

// Nothing waits in a goroutine that would keep the bubble from its end. With a user's Clock one does.
func TestQuietAtTheEndOfABubbleWithoutAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New()
		tm.AfterFunc(time.Hour, timertest.Nop)
		tm.AfterFunc(0, timertest.Nop)
		tm.Every(time.Second, func(*hashedwheel.Series) {})
		timertest.Pass(time.Minute)
	})
}
