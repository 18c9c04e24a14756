package wheeltime_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// Programs make a stopped timer by NewTimer(0) and a receive. Nothing is dispatched before an Advance.
func TestDelayOfZeroOrLessEndsAtOnce(t *testing.T) {
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		clock, tm := timertest.NewManual()
		timer := wheeltime.NewTimer(tm, d)
		at, ok := value(timer.C)
		require.True(t, ok, "NewTimer(%v)", d)
		assert.Equal(t, clock.Now(), at)
		assert.False(t, timer.Reset(time.Hour))
		assert.True(t, timer.Reset(d), "Reset(%v)", d)
		_, ok = value(timer.C)
		assert.True(t, ok, "Reset(%v)", d)

		began := make(chan struct{})
		called := wheeltime.AfterFunc(tm, d, func() { began <- struct{}{} }) // blocks unless it has a goroutine
		assert.Nil(t, called.C)
		<-began
		assert.False(t, called.Reset(d))
		<-began

		wheeltime.Sleep(tm, d)
		assert.Equal(t, clock.Now(), <-wheeltime.After(tm, d))
		assert.Zero(t, tm.Pending())
		clock.Advance(2 * time.Hour)
		assertNone(t, timer.C, "of the previous arming")
		tm.StopAll()
	}
}

// A run on the wheel or in the time package is late: its arming has ended.
func TestRunOfAnOlderArmingSendsNothing(t *testing.T) {
	for name, isStopped := range map[string]bool{"on the wheel": false, "in the time package": true} {
		t.Run(name, func(t *testing.T) {
			onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
				if isStopped {
					tm.StopAll()
				}
				stopped, moved := wheeltime.NewTimer(tm, tick), wheeltime.NewTimer(tm, tick)
				again, zero := wheeltime.NewTimer(tm, tick), wheeltime.NewTimer(tm, tick)
				stoppedTicker, movedTicker := wheeltime.NewTicker(tm, tick), wheeltime.NewTicker(tm, tick)
				timertest.Pass(3 * tick)
				assert.True(t, stopped.Stop(), "nothing was sent")
				assert.True(t, moved.Reset(time.Hour), "nothing was sent")
				assert.True(t, again.Stop())
				assert.False(t, again.Reset(time.Hour), "it was stopped")
				assert.True(t, zero.Reset(0))
				assert.True(t, zero.Stop(), "takes the value back")
				stoppedTicker.Stop()
				movedTicker.Reset(time.Hour)
				for range 6 {
					assert.True(t, release())
				}
				for _, timer := range []*wheeltime.Timer{stopped, moved, again, zero} {
					assertNone(t, timer.C, "of an arming that is over")
					timer.Stop()
				}
				for _, ticker := range []*wheeltime.Ticker{stoppedTicker, movedTicker} {
					assertNone(t, ticker.C, "of an arming that is over")
					ticker.Stop()
				}
				assert.Zero(t, tm.Pending())
				timertest.Pass(2 * time.Hour)
			})
		})
	}
}

// The older of two late runs fires a Timer or a Ticker, which is due by then. It read the clock before the deadline was
// set.
func TestTwoLateRunsSendOneValue(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		timer, ticker := wheeltime.NewTimer(tm, tick), wheeltime.NewTicker(tm, tick)
		timertest.Pass(3 * tick)
		start := time.Now()
		timer.Reset(15 * tick)
		ticker.Reset(15 * tick)
		timertest.Pass(20 * tick)
		for range 2 {
			assert.True(t, release())
		}
		assertWithin(t, timer.C, start.Add(15*tick))
		assertWithin(t, ticker.C, start.Add(15*tick))
		for range 2 {
			assert.True(t, release())
		}
		assertNone(t, timer.C, "a second time")
		assertNone(t, ticker.C, "a second time")
		ticker.Stop()
	})
}

func TestAfterFuncFunctionMayUseItsTimer(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var timer *wheeltime.Timer
		runs, armed := 0, make(chan struct{})
		timer = wheeltime.AfterFunc(tm, tick, func() {
			<-armed
			assert.False(t, timer.Stop(), "it has begun")
			if runs++; runs < 10 {
				assert.False(t, timer.Reset(tick))
				_ = timer.String()
			}
		})
		close(armed)
		timertest.Pass(100 * tick)
		assert.Equal(t, 10, runs)
	})
}
