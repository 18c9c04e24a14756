package wheeltime_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

func TestTickerTicksOnAGridWithoutDrift(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const period = 10*tick + tick/3
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, period)
		defer ticker.Stop()
		for i := range time.Duration(1000) {
			at := <-ticker.C
			assert.WithinRange(t, at, start.Add((i+1)*period), start.Add((i+1)*period+tick))
		}
	})
}

func TestTickerDropsTicksThatNobodyReceives(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		defer ticker.Stop()
		timertest.Pass(105 * tick)
		assertWithin(t, ticker.C, start.Add(10*tick))
		assertNone(t, ticker.C, "C has room for one")
		timertest.Pass(10 * tick)
		assertWithin(t, ticker.C, start.Add(110*tick))
	})
}

func TestTickerBelowTheTickOfTheWheelTicksOnceATick(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 1)
		defer ticker.Stop()
		for range 100 {
			<-ticker.C
		}
		assert.WithinRange(t, time.Now(), start.Add(99*tick), start.Add(100*tick))
	})
}

func TestTickerSkipsTicksMissedInAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executor := new(timertest.HeldBack)
		tm := timertest.NewOn(executor)
		defer tm.Stop()
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		timertest.Pass(95 * tick)
		executor.Release()
		at, ok := value(ticker.C)
		assert.True(t, ok)
		assert.Equal(t, 95*tick, at.Sub(start), "the time at which it was sent")
		timertest.Pass(3 * tick)
		executor.Release()
		assertNone(t, ticker.C, "what was missed")
		timertest.Pass(4 * tick)
		executor.Release()
		at, _ = value(ticker.C)
		assert.Equal(t, 102*tick, at.Sub(start), "on the grid again, in no burst")
		executor.Release()
		assertNone(t, ticker.C, "one tick")
	})
}

func TestTickerStopAndResetTakeTheTickBack(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ticker := wheeltime.NewTicker(tm, 10*tick)
		timertest.Pass(25 * tick)
		start := time.Now()
		ticker.Reset(7 * tick)
		assertNone(t, ticker.C, "after Reset")
		timertest.Pass(9 * tick)
		assertWithin(t, ticker.C, start.Add(7*tick))
		timertest.Pass(7 * tick)
		ticker.Stop()
		assertNone(t, ticker.C, "after Stop")
		assert.Zero(t, tm.Pending())
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "an hour after Stop")

		start = time.Now()
		ticker.Reset(5 * tick)
		timertest.Pass(7 * tick)
		assertWithin(t, ticker.C, start.Add(5*tick))
		ticker.Stop()
		ticker.Stop()
	})
}

func TestTickerRunOfAnOlderArmingSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executor := new(timertest.HeldBack)
		tm := timertest.NewOn(executor)
		defer tm.Stop()
		stopped, moved := wheeltime.NewTicker(tm, tick), wheeltime.NewTicker(tm, tick)
		timertest.Pass(3 * tick)
		stopped.Stop()
		moved.Reset(time.Hour)
		executor.Release()
		assertNone(t, stopped.C, "after Stop")
		assertNone(t, moved.C, "after Reset")
		assert.Equal(t, 1, tm.Pending(), "the one that was moved")
	})
}

func TestTickerRefusedTicksInPackageTime(t *testing.T) {
	inTimeInstead(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		for i := range time.Duration(10) {
			assert.Equal(t, (i+1)*10*tick, (<-ticker.C).Sub(start))
		}
		timertest.Pass(55 * tick)
		assertWithin(t, ticker.C, start.Add(110*tick))
		assertNone(t, ticker.C, "C has room for one")
		timertest.Pass(6 * tick)
		ticker.Reset(30 * tick)
		assertNone(t, ticker.C, "after Reset")
		timertest.Pass(30 * tick)
		assertWithin(t, ticker.C, start.Add(191*tick))
		timertest.Pass(30 * tick)
		ticker.Stop()
		assertNone(t, ticker.C, "after Stop")
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "an hour after Stop")
	})
}

// While a tick is handed out the Ticker is not pending: another timeout may take its place.
func TestTickerOnAWheelThatBecameFullGoesOnInPackageTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executor := new(timertest.HeldBack)
		tm := timertest.NewOn(executor, hashedwheel.WithMaxPending(1))
		defer tm.Stop()
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		timertest.Pass(11 * tick)
		tm.AfterFunc(time.Hour, timertest.Nop)
		executor.Release()
		assertWithin(t, ticker.C, start.Add(10*tick))
		assert.Equal(t, 20*tick, (<-ticker.C).Sub(start))
		assert.Equal(t, 30*tick, (<-ticker.C).Sub(start))
		ticker.Stop()
	})
}

func TestTickerEndsWithItsWheel(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ticker := wheeltime.NewTicker(tm, 10*tick)
		<-ticker.C
		assert.Len(t, tm.Stop(), 1)
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "its wheel was stopped")
		ticker.Reset(10 * tick)
		<-ticker.C
		ticker.Stop()
	})
	t.Run("while it ticks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			executor := new(timertest.HeldBack)
			tm := timertest.NewOn(executor)
			ticker := wheeltime.NewTicker(tm, 10*tick)
			timertest.Pass(11 * tick)
			assert.Empty(t, tm.Stop())
			executor.Release()
			_, ok := value(ticker.C)
			assert.True(t, ok, "the tick that had expired")
			timertest.Pass(time.Hour)
			assertNone(t, ticker.C, "its wheel was stopped")
		})
	})
}

func TestTickerOfALongPeriodDoesNotOverflow(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ticker := wheeltime.NewTicker(tm, math.MaxInt64)
		defer ticker.Stop()
		timertest.Pass(1000 * time.Hour)
		assertNone(t, ticker.C, "after 1,000 hours")
	})
}

func TestZeroTickerStopDoesNothing(t *testing.T) {
	(&wheeltime.Ticker{C: make(chan time.Time)}).Stop()
}

func TestTickerMisusePanics(t *testing.T) {
	tm := timertest.New()
	defer tm.Stop()
	for want, misuse := range map[string]func(){
		"wheeltime: Reset called on uninitialized Ticker: NewTicker makes one": func() { new(wheeltime.Ticker).Reset(1) },
		"wheeltime: NewTicker with a nil Timer":                                func() { wheeltime.NewTicker(nil, 1) },
		"wheeltime: non-positive interval for NewTicker":                       func() { wheeltime.NewTicker(tm, 0) },
		"wheeltime: non-positive interval for Ticker.Reset": func() {
			ticker := wheeltime.NewTicker(tm, time.Hour)
			defer ticker.Stop()
			ticker.Reset(-1)
		},
	} {
		assert.PanicsWithValue(t, want, misuse)
	}
}
