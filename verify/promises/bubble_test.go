package promises

import (
	"fmt"
	"maps"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// bubbleCalls panic in another bubble. at is half an hour from now, by the clock where the Timer was made: a call with
// it reads no clock.
var bubbleCalls = map[string]func(tm *hashedwheel.Timer, at time.Time){
	"AfterFunc": func(tm *hashedwheel.Timer, _ time.Time) { tm.AfterFunc(0, timertest.Nop) },
	"ResetAt":   func(tm *hashedwheel.Timer, at time.Time) { timertest.Owned(tm, timertest.NopTask).ResetAt(at) },
	"After":     func(tm *hashedwheel.Timer, _ time.Time) { tm.After(time.Second) },
	"Every":     func(tm *hashedwheel.Timer, _ time.Time) { tm.Every(1, func(*hashedwheel.Series) {}) },
	"Stats":     func(tm *hashedwheel.Timer, _ time.Time) { tm.Stats() },
}

// The clock of a bubble begins in the year 2000: deadlines by it would be 26 years before the timer was made.
func TestATimerFromOutsideTheBubblePanics(t *testing.T) {
	const message = "hashedwheel: Timer made outside a testing/synctest bubble and used inside: make it in the bubble"
	for name, call := range bubbleCalls {
		t.Run(name, func(t *testing.T) {
			tm, at := timertest.New(), time.Now().Add(30*time.Minute)
			defer tm.StopAll()
			synctest.Test(t, func(t *testing.T) {
				assert.PanicsWithValue(t, message, func() { call(tm, at) })
			})
			timertest.Returns(t, func() { <-tm.After(0) })
		})
	}
}

// A lazy global whose first caller is a test in a bubble would run nothing for the rest of the process.
func TestATimerFromABubblePanicsOutside(t *testing.T) {
	const message = "hashedwheel: Timer made in a testing/synctest bubble and used outside: make it where it is used"
	var filed *hashedwheel.Timeout
	calls := maps.Clone(bubbleCalls)
	calls["Timeout.Stop"] = func(*hashedwheel.Timer, time.Time) { filed.Stop() }
	calls["Move"] = func(*hashedwheel.Timer, time.Time) { filed.Move(time.Second) }
	calls["Timer.StopAll"] = func(tm *hashedwheel.Timer, _ time.Time) { tm.StopAll() }
	for name, call := range calls {
		for _, rest := range []time.Duration{0, time.Minute} { // with a run set for the queue, and without
			t.Run(fmt.Sprintf("%s after %v", name, rest), func(t *testing.T) {
				var at time.Time
				synctest.Test(t, func(t *testing.T) {
					at = time.Now().Add(30 * time.Minute)
					filed = timertest.New().AfterFunc(time.Hour, timertest.Nop)
					timertest.Pass(time.Minute)
					filed.Timer().AfterFunc(time.Hour, timertest.Nop)
					timertest.Pass(rest)
				})
				assert.PanicsWithValue(t, message, func() { call(filed.Timer(), at) })
			})
		}
	}
	synctest.Test(t, func(t *testing.T) { // twenty years in a bubble are not a mistake
		tm := timertest.New()
		time.Sleep(20 * 365 * 24 * time.Hour)
		tm.AfterFunc(time.Hour, timertest.Nop)
	})
}

// Both bubbles begin in the year 2000, so the clock shows nothing.
func TestATimerFromAnotherBubbleEndsTheProcess(t *testing.T) {
	if !timertest.IsOwnProcess(t) {
		out, err := timertest.OwnProcess(t).CombinedOutput()
		assert.Error(t, err)
		assert.Contains(t, string(out), "channel from outside bubble")
		return
	}
	var tm *hashedwheel.Timer
	synctest.Test(t, func(t *testing.T) {
		tm = timertest.New()
		tm.AfterFunc(time.Hour, timertest.Nop) // has a run set, which never comes
	})
	synctest.Test(t, func(t *testing.T) { tm.AfterFunc(time.Second, timertest.Nop) })
}

// Stopping reads no clock. A goroutine that stops many timeouts wakes the worker to take the queue, but not from a
// bubble; if nothing is ever due, no waker is set, and the stopped timeouts fill a part of the queue.
func TestATimerFromOutsideTheBubbleMayBeStoppedInside(t *testing.T) {
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
				assert.Empty(t, tm.StopAll())
			})
		})
	}
}

func TestATimerOnAManualClockWorksInAnyBubble(t *testing.T) {
	clock, tm := timertest.NewManual()
	use := func(t *testing.T) {
		var log timertest.RunLog
		timertest.Owned(tm, &log).Reset(time.Second)
		timertest.Owned(tm, &log).ResetAt(clock.Now().Add(-time.Hour))
		clock.Advance(time.Second)
		assert.Equal(t, 2, log.Count())
	}
	synctest.Test(t, use)
	synctest.Test(t, func(t *testing.T) { clock, tm = timertest.NewManual() })
	synctest.Test(t, use)
	use(t)
}

// In a bubble two timers of the time package that fire at once crash the race detector (golang/go#78156), so such a
// timer must not start the next worker.
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
