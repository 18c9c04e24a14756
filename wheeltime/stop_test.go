package wheeltime_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A full wheel keeps Timers, Tickers and waits. Its Stop leaves the channels of Timers and waits to the time package,
// and ends the others.
func TestFullWheelRefusesNothingAndChannelsOutliveItsStop(t *testing.T) {
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
		assert.Equal(t, []*hashedwheel.Timeout{users}, tm.StopAll(), "the user's own timeout")
		assert.Equal(t, "wheeltime.Timer(Pending in the time package)", timers[0].String())
		assert.Contains(t, calls[0].String(), "wheeltime.Timer(Canceled, ")
		timertest.Pass(5*tick - 1)
		for i := range n {
			assertNone(t, timers[i].C, "before its time")
			assertNone(t, afters[i], "before its time")
			assertNone(t, tickers[i], "a tick is taken back, as by Ticker.Stop")
		}
		timertest.Pass(time.Hour)
		for i := range n {
			assertWithin(t, timers[i].C, start.Add(30*tick))
			assert.False(t, timers[i].Stop(), "it has fired")
			assertNone(t, tickers[i], "a tick after Stop")
			assertWithin(t, afters[i], start.Add(30*tick))
			assert.True(t, calls[i].Stop(), "f has not run")
		}
	})
}

func TestTickerEndsIfItsWheelIsStoppedDuringATick(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		ticker := wheeltime.NewTicker(tm, 10*tick)
		timertest.Pass(11 * tick)
		assert.Empty(t, tm.StopAll())
		assert.True(t, release())
		_, ok := value(ticker.C)
		assert.True(t, ok, "the tick that had expired")
		assert.Equal(t, "wheeltime.Ticker(10ms, off)", ticker.String())
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "its wheel was stopped")
	})
}

// One list of each Stop serves all that this Stop has canceled, whenever they are due: none has a goroutine or a
// time.Timer.
func TestCrowdOutlivesStop(t *testing.T) {
	n := 100_000
	if timertest.Race || testing.Short() {
		n = 20_000
	}
	due := func(i int) time.Duration { return time.Hour + time.Duration(i)*10*time.Microsecond }
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		timers, afters := make([]*wheeltime.Timer, n), make([]<-chan time.Time, n)
		for _, i := range rand.Perm(n) {
			timers[i], afters[i] = wheeltime.NewTimer(tm, due(i)), wheeltime.After(tm, due(i))
		}
		tm.Pending()
		before := timertest.Heap()
		var stopping sync.WaitGroup
		for range 4 {
			stopping.Go(func() { assert.Empty(t, tm.StopAll()) })
		}
		stopping.Wait()
		timertest.Pass(time.Second)
		assert.Less(t, timertest.Heap()-before, int64(2*n*64), "bytes that the list takes")
		for i := range n {
			for _, c := range []<-chan time.Time{timers[i].C, afters[i]} {
				if at := <-c; at.Sub(start) != due(i) || time.Since(start) != due(i) {
					require.Fail(t, "not on time", "due after %v, %v at %v", due(i), at, time.Now())
				}
			}
		}
		synctest.Wait()
		assert.Zero(t, timertest.LibraryGoroutines())
	})
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

// No more time passes on a stopped wheel's ManualClock, so Stop ends all waits.
func TestStopOfAWheelOnAManualClockFiresAllWaits(t *testing.T) {
	clock, tm := timertest.NewManual()
	due := clock.Now().Add(time.Hour)
	timer, after := wheeltime.NewTimer(tm, time.Hour), wheeltime.After(tm, time.Hour)
	clock.Advance(time.Minute)
	assert.Empty(t, tm.StopAll())
	assertWithin(t, timer.C, due)
	assertWithin(t, after, due)
	assert.False(t, timer.Stop())
}

// The clock of the wheel stands still; the time package's does not.
func TestTimersOfAStoppedWheelAreTheTimePackages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, tm := timertest.NewManual()
		tm.StopAll()
		time.Sleep(3 * tick) // off the grid of the wheel's clock
		start, called := time.Now(), make(chan time.Time, 1)
		timer, ticker := wheeltime.NewTimer(tm, 10*tick), wheeltime.NewTicker(tm, 10*tick)
		wheeltime.AfterFunc(tm, 10*tick, func() { called <- time.Now() })
		after := wheeltime.After(tm, 10*tick)
		timertest.Pass(10*tick - 1)
		all := []<-chan time.Time{timer.C, ticker.C, called, after}
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

// Timer.StopAll cancels the timeouts first, and calls TimerStopped after that.
func TestStopDoesNotEndALaterResetOfATicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timertest.New()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		tm.StopAll()
		start := time.Now()
		ticker.Reset(5 * tick)
		timertest.Pass(7 * tick)
		ticker.TimerStopped()
		assertWithin(t, ticker.C, start.Add(5*tick))
		timertest.Pass(5 * tick)
		assertWithin(t, ticker.C, start.Add(10*tick))
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
