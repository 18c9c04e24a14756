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
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		defer ticker.Stop()
		tm.AfterFunc(5*tick, func() { time.Sleep(90 * tick) }) // on the worker
		assert.Equal(t, 95*tick, (<-ticker.C).Sub(start), "the time at which it was sent")
		timertest.Pass(4 * tick)
		assertNone(t, ticker.C, "of the missed ticks")
		assert.Equal(t, 100*tick, (<-ticker.C).Sub(start), "on the grid again")
		timertest.Pass(8 * tick)
		assertNone(t, ticker.C, "in a burst")
	}, timertest.Inline)
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
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		stopped, moved := wheeltime.NewTicker(tm, tick), wheeltime.NewTicker(tm, tick)
		timertest.Pass(3 * tick)
		stopped.Stop()
		moved.Reset(time.Hour)
		assert.True(t, release())
		assert.True(t, release())
		assertNone(t, stopped.C, "after Stop")
		assertNone(t, moved.C, "after Reset")
		assert.Equal(t, 1, tm.Pending(), "the moved Ticker")
		moved.Stop()
	})
}

// As with a Timer: the older run ticks, and read the clock before the tick was due.
func TestTickerTwoLateRunsSendOneTick(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		ticker := wheeltime.NewTicker(tm, tick)
		timertest.Pass(3 * tick)
		start := time.Now()
		ticker.Reset(15 * tick)
		timertest.Pass(20 * tick)
		assert.True(t, release())
		assertWithin(t, ticker.C, start.Add(15*tick))
		assert.True(t, release())
		assertNone(t, ticker.C, "a second time")
		assert.Equal(t, 1, tm.Pending())
		ticker.Stop()
	})
}

func TestTickerOnAStoppedWheelTicksInPackageTime(t *testing.T) {
	onStopped(t, func(t *testing.T, tm *hashedwheel.Timer) {
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

func TestTickerEndsWithItsWheel(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ticker := wheeltime.NewTicker(tm, 10*tick)
		timertest.Pass(15 * tick)
		assert.Empty(t, tm.Stop())
		assertNone(t, ticker.C, "a tick is taken back, as by Ticker.Stop")
		timertest.Pass(time.Hour)
		assertNone(t, ticker.C, "its wheel was stopped")
		ticker.Reset(10 * tick)
		<-ticker.C
		ticker.Stop()
	})
	t.Run("while it ticks", func(t *testing.T) {
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
	})
}

func TestLongestDelayDoesNotOverflow(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		timer, ticker := wheeltime.NewTimer(tm, math.MaxInt64), wheeltime.NewTicker(tm, math.MaxInt64)
		defer ticker.Stop()
		timertest.Pass(1000 * time.Hour)
		assertNone(t, timer.C, "after 1,000 hours")
		assertNone(t, ticker.C, "after 1,000 hours")
		assert.True(t, timer.Stop())
	})
}

func TestZeroTickerStopDoesNothing(t *testing.T) {
	(&wheeltime.Ticker{C: make(chan time.Time)}).Stop()
}

// A lateClock rings a little later than it is asked to, as the machine's clock does.
type lateClock struct{}

func (lateClock) Now() time.Time                         { return time.Now() }
func (lateClock) After(d time.Duration) <-chan time.Time { return time.After(d + 50*time.Microsecond) }

func TestTickerWithAPeriodOfOneTickLosesNone(t *testing.T) {
	const tick = 10 * time.Millisecond
	for _, period := range []time.Duration{tick * 9 / 10, tick, tick * 11 / 10} {
		t.Run(period.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithClock(lateClock{}))
				defer tm.Stop()
				time.Sleep(10 * time.Microsecond) // its ticks are due just after those of the wheel
				ticker := wheeltime.NewTicker(tm, period)
				defer ticker.Stop()
				n := 0
				for end := time.After(time.Second); ; n++ {
					select {
					case <-ticker.C:
						continue
					case <-end:
					}
					break
				}
				assert.InDelta(t, int(time.Second/max(period, tick)), n, 2)
			})
		})
	}
}
