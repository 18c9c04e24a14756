package wheeltime_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

func TestTimerStopTakesTheValueBack(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		timer := wheeltime.NewTimer(tm, 10*tick)
		timertest.Pass(20 * tick)
		assert.True(t, timer.Stop(), "the value was there, and nobody had received it")
		assertNone(t, timer.C, "after Stop")
		assert.False(t, timer.Reset(0))
		assert.True(t, timer.Stop())
		assertNone(t, timer.C, "after Stop")
	})
}

// Programs make a stopped timer by NewTimer(0) and a receive.
func TestTimerOfZeroFiresAtOnce(t *testing.T) {
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		clock, tm := timertest.NewManual() // nothing is handed out before Advance
		timer := wheeltime.NewTimer(tm, d)
		at, ok := value(timer.C)
		require.True(t, ok, "NewTimer(%v)", d)
		assert.Equal(t, clock.Now(), at)

		assert.False(t, timer.Reset(time.Hour))
		assert.True(t, timer.Reset(d), "Reset(%v)", d)
		_, ok = value(timer.C)
		assert.True(t, ok, "Reset(%v)", d)
		clock.Advance(2 * time.Hour)
		assertNone(t, timer.C, "of the arming before")
		tm.Stop()
	}
}

// A run comes late: its arming is over.
func TestTimerRunOfAnOlderArmingSendsNothing(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		stopped, moved := wheeltime.NewTimer(tm, tick), wheeltime.NewTimer(tm, tick)
		again, zero := wheeltime.NewTimer(tm, tick), wheeltime.NewTimer(tm, tick)
		timertest.Pass(3 * tick)
		assert.True(t, stopped.Stop(), "nothing was sent")
		assert.True(t, moved.Reset(time.Hour), "nothing was sent")
		assert.True(t, again.Stop())
		assert.False(t, again.Reset(time.Hour), "it was stopped")
		assert.True(t, zero.Reset(0))
		assert.True(t, zero.Stop(), "takes the value back")
		for range 4 {
			assert.True(t, release())
		}
		for _, timer := range []*wheeltime.Timer{stopped, moved, again, zero} {
			assertNone(t, timer.C, "of an arming that is over")
		}
	})
}

// The older of two late runs fires the Timer, which is due by then. It read the clock before the deadline was set.
func TestTimerTwoLateRunsSendOneValue(t *testing.T) {
	onLateRuns(t, func(t *testing.T, tm *hashedwheel.Timer, release func() bool) {
		timer := wheeltime.NewTimer(tm, tick)
		timertest.Pass(3 * tick)
		start := time.Now()
		timer.Reset(10 * tick)
		timertest.Pass(20 * tick)
		assert.True(t, release())
		assertWithin(t, timer.C, start.Add(10*tick))
		assert.True(t, release())
		assertNone(t, timer.C, "a second time")
	})
}

func TestAfterFuncCallsItsFunctionOnce(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var calls atomic.Int32
		timer := wheeltime.AfterFunc(tm, 10*tick, func() { calls.Add(1) })
		assert.Nil(t, timer.C)
		timertest.Pass(9 * tick)
		assert.Zero(t, calls.Load())
		timertest.Pass(3 * tick)
		assert.EqualValues(t, 1, calls.Load())
		assert.False(t, timer.Stop())
		assert.False(t, timer.Reset(tick))
		assert.True(t, timer.Stop())
		timertest.Pass(time.Hour)
		assert.EqualValues(t, 1, calls.Load())
	})
}

func TestAfterFuncOfZeroCallsItsFunctionAtOnceInAGoroutine(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	began := make(chan struct{})
	timer := wheeltime.AfterFunc(tm, 0, func() { began <- struct{}{} }) // blocks unless it has a goroutine
	<-began
	assert.False(t, timer.Reset(-1))
	<-began
	clock.Advance(time.Hour)
	assert.Zero(t, tm.Pending())
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

func TestTimerOnAStoppedWheelFiresInPackageTime(t *testing.T) {
	onStopped(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		timer := wheeltime.NewTimer(tm, 10*tick)
		called := make(chan struct{})
		wheeltime.AfterFunc(tm, 10*tick, func() { close(called) })
		stopped := wheeltime.NewTimer(tm, 10*tick)
		assert.True(t, stopped.Stop())
		moved := wheeltime.NewTimer(tm, 10*tick)
		assert.True(t, moved.Reset(20*tick))

		timertest.Pass(10*tick - 1)
		assertNone(t, timer.C, "before its time")
		timertest.Pass(1)
		assertWithin(t, timer.C, start.Add(10*tick))
		<-called
		assertNone(t, moved.C, "moved to later")
		timertest.Pass(10 * tick)
		assertWithin(t, moved.C, start.Add(20*tick))
		assertNone(t, stopped.C, "after Stop")

		assert.False(t, timer.Reset(tick))
		timertest.Pass(2 * tick)
		assert.True(t, timer.Stop(), "takes the value back")
		assertNone(t, timer.C, "after Stop")
	})
}

func TestTimerCanceledByTheStopOfItsWheel(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		timer := wheeltime.NewTimer(tm, 10*tick)
		again := wheeltime.NewTimer(tm, 10*tick)
		assert.Empty(t, tm.Stop())
		timertest.Pass(time.Hour)
		assertNone(t, timer.C, "its wheel was stopped")
		assert.True(t, timer.Stop(), "a drain of C would hang")
		start := time.Now()
		assert.True(t, again.Reset(10*tick))
		timertest.Pass(12 * tick)
		assertWithin(t, again.C, start.Add(10*tick))
	})
}
