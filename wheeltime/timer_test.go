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
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				if isStopped {
					tm.StopAll()
				}
				timer, ticker := wheeltime.NewTimer(tm, tick), wheeltime.NewTicker(tm, tick)
				late := func(after string) {
					t.Helper()
					timer.Run()
					ticker.Run()
					timer.Outlive(0)
					ticker.Outlive(0)
					if isStopped {
						timer.RunInTime(1)
						ticker.RunInTime(1)
					}
					assertNone(t, timer.C, after)
					assertNone(t, ticker.C, after)
				}
				assert.True(t, timer.Reset(time.Hour), "nothing was sent")
				ticker.Reset(time.Hour)
				late("after Reset")
				assert.True(t, timer.Stop(), "nothing was sent")
				ticker.Stop()
				late("after Stop")
				assert.False(t, timer.Reset(0), "it was stopped")
				assert.True(t, timer.Stop(), "takes the value back")
				late("after Reset to zero, and Stop")
				assert.Zero(t, tm.Pending())

				timer.Reset(tick)
				ticker.Reset(time.Hour)
				timertest.Pass(2 * tick)
				assert.Len(t, timer.C, 1)
				<-timer.C
				late("after the run of the newest arming")
				ticker.Stop()
				timertest.Pass(2 * time.Hour)
			})
		})
	}
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
