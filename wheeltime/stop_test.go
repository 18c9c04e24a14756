package wheeltime_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A full wheel keeps Timers, Tickers and waits. Its StopAll leaves their channels to the time package, and ends the
// functions.
func TestFullWheelRefusesNothingAndChannelsOutliveStopAll(t *testing.T) {
	const n = 20
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New(hashedwheel.WithMaxPending(1))
		users := tm.AfterFunc(1000*time.Hour, timertest.Nop)
		start := time.Now()
		var timers, calls []*wheeltime.Timer
		var afters []<-chan time.Time
		var tickers []*wheeltime.Ticker
		for range n {
			timers = append(timers, wheeltime.NewTimer(tm, 30*tick))
			tickers = append(tickers, wheeltime.NewTicker(tm, 10*tick))
			afters = append(afters, wheeltime.After(tm, 30*tick))
			calls = append(calls, wheeltime.AfterFunc(tm, 30*tick, func() { t.Error("a function ran after StopAll") }))
		}
		assert.Equal(t, 4*n+1, tm.Pending())
		assert.Zero(t, tm.Stats().Rejected)
		timertest.Pass(15 * tick)
		for _, ticker := range tickers {
			assertWithin(t, ticker.C, start.Add(10*tick))
		}
		timertest.Pass(10 * tick)
		assert.Equal(t, []*hashedwheel.Timeout{users}, tm.StopAll(), "the user's own timeout")
		assert.Equal(t, "wheeltime.Timer(Pending in the time package)", timers[0].String())
		assert.Contains(t, calls[0].String(), "wheeltime.Timer(Canceled, ")
		assert.Zero(t, timertest.LibraryGoroutines(), "only the time package waits")
		timertest.Pass(5*tick - 1)
		for i := range n {
			assertNone(t, timers[i].C, "before its time")
			assertNone(t, afters[i], "before its time")
			assertWithin(t, tickers[i].C, start.Add(20*tick))
		}
		timertest.Pass(1)
		for i := range n {
			assertWithin(t, timers[i].C, start.Add(30*tick))
			assert.False(t, timers[i].Stop(), "it has fired")
			assertWithin(t, afters[i], start.Add(30*tick))
			assertWithin(t, tickers[i].C, start.Add(30*tick))
		}
		timertest.Pass(10 * tick)
		for _, ticker := range tickers {
			assertWithin(t, ticker.C, start.Add(40*tick))
			ticker.Stop()
		}
		timertest.Pass(time.Hour)
		for i := range n {
			assertNone(t, tickers[i].C, "after Stop")
			assert.True(t, calls[i].Stop(), "f has not run")
		}
	})
}

// A stopped Timer is like one whose delay never ends: code that waits for f if Stop returns false does not hang.
func TestNoFunctionStartsOnceItsWheelIsStopped(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		f := func() { t.Error("it started") }
		before := wheeltime.AfterFunc(tm, 10*tick, f)
		off := wheeltime.AfterFunc(tm, 10*tick, f)
		off.Stop()
		tm.StopAll()
		for name, timer := range map[string]*wheeltime.Timer{
			"pending at StopAll": before, "armed afterwards": wheeltime.AfterFunc(tm, tick, f),
			"without a delay": wheeltime.AfterFunc(tm, 0, f), "of a Clock": wheeltime.NewClock(tm).AfterFunc(-1, f),
		} {
			assert.True(t, timer.Reset(tick), name)
			assert.True(t, timer.Reset(0), name)
			timertest.Pass(time.Hour)
			assert.True(t, timer.Stop(), name)
			assert.False(t, timer.Stop(), name)
			assert.False(t, timer.Reset(tick), name)
		}
		assert.False(t, off.Stop())
		assert.False(t, off.Reset(-1))
		timertest.Pass(time.Hour)
		assert.True(t, off.Stop())
	})
}

// Neither the stopped wheel nor the time package keeps it.
func TestTimerStoppedAfterStopAllIsGarbage(t *testing.T) {
	tm := timertest.New()
	timer, ticker := wheeltime.NewTimer(tm, time.Hour), wheeltime.NewTicker(tm, time.Hour)
	tm.StopAll()
	timer.Stop()
	ticker.Stop()
	theTimer, theTicker := weak.Make(timer), weak.Make(ticker)
	assert.Eventually(t, func() bool {
		runtime.GC()
		return theTimer.Value() == nil && theTicker.Value() == nil
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(tm)
}

// Timers that were left to the time package do not keep the bubble from ending.
func TestTimerLeftToTheTimePackageCanBeStoppedAndReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New()
		var timers [6]*wheeltime.Timer
		for i := range timers {
			timers[i] = wheeltime.NewTimer(tm, 10*tick)
		}
		stopped, later, sooner := timers[0], timers[1], timers[2]
		atOnce, fired, received := timers[3], timers[4], timers[5]
		forgotten := wheeltime.NewTimer(tm, time.Hour)
		start := time.Now()
		tm.StopAll()
		timertest.Pass(5 * tick)
		assert.True(t, stopped.Stop())
		assert.False(t, stopped.Stop(), "a second time")
		assert.True(t, later.Reset(20*tick))
		assert.True(t, sooner.Reset(tick))
		assert.True(t, atOnce.Reset(0))
		assertWithin(t, atOnce.C, start.Add(5*tick))
		timertest.Pass(tick)
		assertWithin(t, sooner.C, start.Add(6*tick))
		timertest.Pass(10 * tick)
		for _, timer := range []*wheeltime.Timer{stopped, later, sooner, atOnce} {
			assertNone(t, timer.C, "of the arming that has ended")
		}
		assert.True(t, fired.Stop(), "takes the value back")
		assertNone(t, fired.C, "after Stop")
		assertWithin(t, received.C, start.Add(10*tick))
		assert.False(t, received.Stop())
		assert.False(t, received.Reset(5*tick))
		timertest.Pass(time.Minute)
		assertWithin(t, later.C, start.Add(25*tick))
		assertWithin(t, received.C, start.Add(21*tick))
		assertNone(t, forgotten.C, "before its time")
	})
}

// No more time passes on a stopped wheel's ManualClock, so StopAll ends all waits. A Ticker then ticks in real time.
func TestStopAllOfAWheelOnAManualClockFiresAllWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, tm := timertest.NewManual()
		timer, after := wheeltime.NewTimer(tm, time.Hour), wheeltime.After(tm, time.Hour)
		ticker := wheeltime.NewTicker(tm, time.Hour)
		clock.Advance(time.Minute)
		assert.Empty(t, tm.StopAll())
		assertWithin(t, timer.C, clock.Now())
		assertWithin(t, after, clock.Now())
		assert.False(t, timer.Stop())
		start := time.Now()
		for i := range time.Duration(3) {
			<-ticker.C
			assert.WithinRange(t, time.Now(), start.Add(i*time.Hour), start.Add(i*time.Hour+1))
		}
		ticker.Stop()
	})
}

// The time of the bubble is not the wheel's.
func TestStopAllInAnotherBubbleFiresAllWaits(t *testing.T) {
	tm := timertest.New()
	timer, ticker := wheeltime.NewTimer(tm, time.Hour), wheeltime.NewTicker(tm, time.Hour)
	after := wheeltime.After(tm, time.Hour)
	synctest.Test(t, func(t *testing.T) {
		assert.Empty(t, tm.StopAll())
		assert.Len(t, timer.C, 1)
		assert.Len(t, after, 1)
		timertest.Pass(1)
		assert.Len(t, ticker.C, 1)
		ticker.Stop()
	})
}

// The clock of the wheel stands still; the time package's does not.
func TestTimersOfAStoppedWheelAreTheTimePackages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, tm := timertest.NewManual()
		tm.StopAll()
		time.Sleep(3 * tick) // off the grid of the wheel's clock
		start := time.Now()
		timer, ticker := wheeltime.NewTimer(tm, 10*tick), wheeltime.NewTicker(tm, 10*tick)
		after := wheeltime.After(tm, 10*tick)
		timertest.Pass(10*tick - 1)
		all := []<-chan time.Time{timer.C, ticker.C, after}
		for _, c := range all {
			assertNone(t, c, "before its time")
		}
		timertest.Pass(1)
		for _, c := range all {
			assert.Len(t, c, 1)
		}
		wheeltime.Sleep(tm, 10*tick)
		assert.Equal(t, start.Add(20*tick), time.Now())
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

// A tick that was overdue at StopAll comes at once, and the grid stays.
func TestOverdueTickerStaysOnItsGridAfterStopAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New(hashedwheel.WithExecutor(hashedwheel.Inline{}))
		start, ticker := time.Now(), wheeltime.NewTicker(tm, 10*tick)
		tm.AfterFunc(5*tick, func() {
			time.Sleep(28 * tick) // on the worker
			tm.StopAll()
		})
		for _, due := range []time.Duration{33, 40, 50} {
			at := <-ticker.C
			assert.WithinRange(t, at, start.Add(due*tick), start.Add(due*tick+1))
		}
		ticker.Stop()
	})
}

// The Executor runs only f: values are sent even if the Executor blocks or loses every task.
func TestUsersExecutorSendsNoValue(t *testing.T) {
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
