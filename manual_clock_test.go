package hashedwheel_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestManualClockDispatchesInOrderOfTime(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithWheelSize(4))
	other := timertest.NewManualOn(clock, hashedwheel.WithTick(time.Millisecond))
	var seen []time.Duration
	see := func() { seen = append(seen, clock.Now().Sub(timertest.Epoch)) }
	for _, d := range []time.Duration{time.Hour, 15 * time.Millisecond, time.Second, 0, 990 * time.Millisecond} {
		tm.AfterFunc(d, see)
		other.AfterFunc(d, see)
	}
	clock.Advance(2 * time.Hour)
	assert.Equal(t, []time.Duration{
		0, 0,
		15 * time.Millisecond, 15 * time.Millisecond,
		990 * time.Millisecond, 990 * time.Millisecond,
		time.Second, time.Second,
		time.Hour, time.Hour,
	}, seen)
}

func TestManualClockCannotGoBack(t *testing.T) {
	clock := hashedwheel.NewManualClock(timertest.Epoch)
	defer func() {
		assert.Regexp(t, "^hashedwheel: ", recover())
		assert.Equal(t, timertest.Epoch, clock.Now())
	}()
	clock.Advance(-1)
	assert.Fail(t, "no panic")
}

// A test may recover a panic of a task. What it then arms without a delay is due at once, not at the next tick.
func TestManualClockGoesOnAfterAPanic(t *testing.T) {
	clock, tm := timertest.NewManual()
	tm.AfterFunc(time.Second, timertest.PanicHere)
	assert.Panics(t, func() { clock.Advance(time.Hour) })
	assert.Equal(t, timertest.Epoch.Add(time.Second), clock.Now())
	ran := false
	tm.AfterFunc(0, func() { ran = true })
	clock.Advance(0)
	assert.True(t, ran)
}

func TestManualClockForgetsATimerThatATaskStops(t *testing.T) {
	clock, first := timertest.NewManual()
	second := timertest.NewManualOn(clock)
	second.AfterFunc(time.Second, func() { t.Error("it was stopped") })
	first.AfterFunc(time.Second, func() { second.StopAll() })
	clock.Advance(time.Minute)
	stopped := weak.Make(second)
	timertest.AssertGarbage(t, stopped, "the timer")
	runtime.KeepAlive(clock)
}

func TestManualClockStopsForATimeoutArmedByATaskOfAnotherTimer(t *testing.T) {
	clock, first := timertest.NewManual()
	second := timertest.NewManualOn(clock)
	var at time.Time
	second.AfterFunc(10*time.Millisecond, func() {
		first.AfterFunc(10*time.Millisecond, func() { at = clock.Now() })
	})
	clock.Advance(time.Second)
	assert.Equal(t, timertest.Epoch.Add(20*time.Millisecond), at)
}

// Without its String, fmt would read the fields that New and Advance write.
func TestManualClockIsPrintedAsItsTime(t *testing.T) {
	clock := hashedwheel.NewManualClock(timertest.Epoch)
	assert.Equal(t, "hashedwheel.ManualClock(2025-01-01 00:00:00 +0000 UTC)", fmt.Sprint(clock))
}
