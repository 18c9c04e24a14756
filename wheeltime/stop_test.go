package wheeltime_test

import (
	"sync"
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
		var timers, calls []*wheeltime.Timer
		var tickers, afters []<-chan time.Time
		for range n {
			timers = append(timers, wheeltime.NewTimer(tm, 30*tick))
			tickers = append(tickers, wheeltime.NewTicker(tm, 10*tick).C)
			afters = append(afters, wheeltime.After(tm, 30*tick))
			calls = append(calls, wheeltime.AfterFunc(tm, 30*tick, func() { t.Error("a function ran after Stop") }))
		}
		assert.Equal(t, 4*n+1, tm.Pending())
		assert.Zero(t, tm.Stats().Rejected)
		timertest.Pass(15 * tick)
		for _, c := range tickers {
			assertWithin(t, c, start.Add(10*tick))
		}
		timertest.Pass(10 * tick)
		assert.Equal(t, []*hashedwheel.Timeout{users}, tm.Stop(), "the user's own timeout")
		timertest.Pass(time.Hour)
		for i := range n {
			assertNone(t, timers[i].C, "the wheel was stopped")
			assert.True(t, timers[i].Stop(), "a drain of C would hang")
			assertNone(t, tickers[i], "a tick is taken back, as by Ticker.Stop")
			assertWithin(t, afters[i], start.Add(30*tick))
			assert.True(t, calls[i].Stop())
		}
	})
}

func TestTickerEndsThoughItsWheelIsStoppedWhileItTicks(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		ticker := wheeltime.NewTicker(tm, 10*tick)
		timertest.Pass(11 * tick)
		assert.Empty(t, tm.Stop())
		assert.True(t, release())
		_, ok := value(ticker.C)
		assert.True(t, ok, "the tick that had expired")
		assert.Equal(t, "wheeltime.Ticker(10ms, off)", ticker.String())
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "its wheel was stopped")
	})
}

func TestSleepAndAfterEndOnTimeThoughTheWheelIsStopped(t *testing.T) {
	const n = 1000 // Timer.Stop collects them in several portions
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var waits sync.WaitGroup
		for i := range time.Duration(n) {
			d := i*tick + i
			c := wheeltime.After(tm, d)
			waits.Go(func() {
				assert.WithinRange(t, <-c, start.Add(d), start.Add(d+tick))
				assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			})
			waits.Go(func() {
				wheeltime.Sleep(tm, d)
				assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			})
		}
		timertest.Pass(n/4*tick + 1)
		assert.Positive(t, tm.Pending())
		assert.Empty(t, tm.Stop(), "the Timeouts are not the user's")
		waits.Wait()
	})
}

// The clock of the wheel stands still: package time does not.
func TestStoppedWheelLeavesAllToPackageTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, tm := timertest.NewManual()
		tm.Stop()
		time.Sleep(3 * tick) // no grid of the wheel's clock
		start, called := time.Now(), make(chan time.Time, 1)
		timer, ticker := wheeltime.NewTimer(tm, 10*tick), wheeltime.NewTicker(tm, 10*tick)
		stopped, moved := wheeltime.NewTimer(tm, 10*tick), wheeltime.NewTimer(tm, 10*tick)
		wheeltime.AfterFunc(tm, 10*tick, func() { called <- time.Now() })
		after := wheeltime.After(tm, 10*tick)
		assert.True(t, stopped.Stop())
		assert.True(t, moved.Reset(20*tick))

		timertest.Pass(10*tick - 1)
		all := []<-chan time.Time{timer.C, ticker.C, called, after}
		for _, c := range all {
			assertNone(t, c, "before its time")
		}
		timertest.Pass(1)
		for _, c := range all {
			assert.Len(t, c, 1)
		}
		assertNone(t, moved.C, "moved to later")
		wheeltime.Sleep(tm, 10*tick)
		assert.Equal(t, start.Add(20*tick), time.Now())
		synctest.Wait()
		assert.Len(t, moved.C, 1)
		assertNone(t, stopped.C, "after Stop")
		assert.True(t, timer.Reset(tick), "takes the value back")
		assertNone(t, timer.C, "after Reset")
		assert.True(t, timer.Stop())

		timertest.Pass(5 * tick) // C had room for one of the two ticks
		for i := range time.Duration(3) {
			<-ticker.C
			assert.Equal(t, start.Add(max(25, (i+2)*10)*tick), time.Now(), i)
		}
		timertest.Pass(11 * tick)
		ticker.Reset(30 * tick)
		assertNone(t, ticker.C, "after Reset")
		timertest.Pass(30 * tick)
		assert.Len(t, ticker.C, 1)
		ticker.Stop()
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "after Stop")
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
