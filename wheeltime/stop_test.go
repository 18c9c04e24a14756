package wheeltime_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A full wheel keeps Timers, Tickers and waits, and its Stop ends them as if it had not been full.
func TestFullTimerRefusesNothingAndStopEndsAll(t *testing.T) {
	const n = 20
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New(hashedwheel.WithMaxPending(1))
		users := tm.AfterFunc(1000*time.Hour, timertest.Nop)
		start := time.Now()
		var timers, tickers, afters []<-chan time.Time
		var calls atomic.Int32
		for range n {
			timers = append(timers, wheeltime.NewTimer(tm, 30*tick).C)
			tickers = append(tickers, wheeltime.NewTicker(tm, 10*tick).C)
			afters = append(afters, wheeltime.After(tm, 30*tick))
			wheeltime.AfterFunc(tm, 30*tick, func() { calls.Add(1) })
		}
		assert.Equal(t, 4*n+1, tm.Pending())
		assert.Zero(t, tm.Stats().Rejected)
		timertest.Pass(25 * tick)
		for _, c := range tickers {
			assertWithin(t, c, start.Add(10*tick))
		}
		assert.Equal(t, []*hashedwheel.Timeout{users}, tm.Stop(), "the user's own timeout")
		timertest.Pass(time.Hour)
		assert.Zero(t, calls.Load(), "a function ran after Stop")
		for i := range n {
			assertNone(t, timers[i], "the wheel was stopped")
			assertNone(t, tickers[i], "the wheel was stopped")
			assertWithin(t, afters[i], start.Add(30*tick))
		}
	})
}

// Timer.Stop cancels the timeouts first, and calls TimerStopped after that.
func TestStopDoesNotEndALaterReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New()
		ticker, timer := wheeltime.NewTicker(tm, 10*tick), wheeltime.NewTimer(tm, 10*tick)
		tm.Stop()
		start := time.Now()
		ticker.Reset(5 * tick)
		timer.Reset(5 * tick)
		timertest.Pass(7 * tick)
		ticker.TimerStopped()
		timer.TimerStopped()
		assertWithin(t, timer.C, start.Add(5*tick))
		assertWithin(t, ticker.C, start.Add(5*tick))
		timertest.Pass(5 * tick)
		assertWithin(t, ticker.C, start.Add(10*tick))
		ticker.Stop()
	})
}

// Only f is the Executor's business: a value is sent although the Executor blocks, or loses every task.
func TestExecutorOfTheUserSendsNoValue(t *testing.T) {
	var handed atomic.Int32
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		wheeltime.AfterFunc(tm, tick, timertest.Nop)
		timer, ticker := wheeltime.NewTimer(tm, 10*tick), wheeltime.NewTicker(tm, 10*tick)
		after := wheeltime.After(tm, 10*tick)
		wheeltime.Sleep(tm, 10*tick)
		synctest.Wait()
		assertWithin(t, timer.C, start.Add(10*tick))
		assertWithin(t, after, start.Add(10*tick))
		for i := range time.Duration(5) {
			at := <-ticker.C
			assert.WithinRange(t, at, start.Add((i+1)*10*tick), start.Add((i+1)*10*tick+tick))
		}
	}, hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) { handed.Add(1) })))
	assert.EqualValues(t, 1, handed.Load(), "tasks that the Executor got, and lost")
}

// Package time's runs come late, as the wheel's do; and none comes for an arming that was stopped in time.
func TestRunInPackageTimeOfAnOlderArmingSendsNothing(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		tm.Stop()
		timer, moved := wheeltime.NewTimer(tm, tick), wheeltime.NewTimer(tm, tick)
		ticker := wheeltime.NewTicker(tm, tick)
		timertest.Pass(3 * tick)
		assert.True(t, timer.Stop(), "nothing was sent")
		assert.True(t, moved.Reset(time.Hour), "nothing was sent")
		ticker.Reset(time.Hour)
		for range 3 {
			assert.True(t, release())
		}
		assertNone(t, timer.C, "after Stop")
		assertNone(t, moved.C, "after Reset")
		assertNone(t, ticker.C, "after Reset")
		assert.True(t, moved.Stop())
		ticker.Stop()
		timertest.Pass(2 * time.Hour)
	})
}

// The clock of the wheel stands still: package time does not.
func TestPackageTimeCountsRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, tm := timertest.NewManual()
		tm.Stop()
		time.Sleep(3 * tick) // no grid of the wheel's clock
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		defer ticker.Stop()
		for _, wait := range []func(){
			func() { <-ticker.C },
			func() { wheeltime.Sleep(tm, 10*tick) },
			func() { <-wheeltime.After(tm, 10*tick) },
			func() { <-wheeltime.NewTimer(tm, 10*tick).C },
			func() { <-ticker.C; <-ticker.C },
		} {
			wait()
			synctest.Wait() // for a tick of this moment
			start = start.Add(10 * tick)
			assert.Equal(t, start, time.Now())
		}
	})
}
