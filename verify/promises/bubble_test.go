package promises

import (
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const outsideItsBubble = "hashedwheel: Timer made outside a testing/synctest bubble and used inside: make it in the bubble"

// The clock of a bubble begins in the year 2000: deadlines by it would be 26 years
// before the timer was made.
func TestATimerFromOutsideTheBubblePanics(t *testing.T) {
	pending := func() *hashedwheel.Timer {
		tm := timertest.New()
		tm.AfterFunc(time.Hour, timertest.Nop)
		time.Sleep(10 * timertest.Tick)
		return tm
	}
	for worker, made := range map[string]func() *hashedwheel.Timer{
		"without a worker":          func() *hashedwheel.Timer { return timertest.New() },
		"with a worker at its rest": pending,
	} {
		for name, use := range map[string]func(tm *hashedwheel.Timer){
			"AfterFunc":          func(tm *hashedwheel.Timer) { tm.AfterFunc(time.Second, timertest.Nop) },
			"AfterFunc(0)":       func(tm *hashedwheel.Timer) { tm.AfterFunc(0, timertest.Nop) },
			"Schedule":           func(tm *hashedwheel.Timer) { _, _ = tm.Schedule(time.Second, timertest.NopTask) },
			"Reset":              func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).Reset(time.Second) },
			"ResetAt of its Now": func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).ResetAt(tm.Now()) },
			"After":              func(tm *hashedwheel.Timer) { tm.After(time.Second) },
			"Every":              func(tm *hashedwheel.Timer) { tm.Every(time.Second, func(*hashedwheel.Series) {}) },
			"Recur":              func(tm *hashedwheel.Timer) { tm.Recur(everySecond{}, func(*hashedwheel.Series) {}) },
			"Now":                func(tm *hashedwheel.Timer) { tm.Now() },
			"Next":               func(tm *hashedwheel.Timer) { tm.Next() },
			"Pending":            func(tm *hashedwheel.Timer) { tm.Pending() },
			"Stats":              func(tm *hashedwheel.Timer) { tm.Stats() },
			"Sample":             func(tm *hashedwheel.Timer) { tm.Sample(1) },
			"String":             func(tm *hashedwheel.Timer) { _ = tm.String() },
		} {
			t.Run(name+", "+worker, func(t *testing.T) {
				tm := made()
				synctest.Test(t, func(t *testing.T) {
					assert.PanicsWithValue(t, outsideItsBubble, func() { use(tm) })
				})
				tm.Stop()
			})
		}
	}
}

type everySecond struct{}

func (everySecond) Next(now time.Time) time.Time { return now.Add(time.Second) }

// ResetAt reads no clock. If it is what starts the worker, that one finds out.
func TestATimerFromOutsideTheBubbleEndsTheProcessIfItsWorkerStartsThere(t *testing.T) {
	if timertest.IsOwnProcess(t) {
		to := timertest.Owned(timertest.New(), timertest.NopTask)
		synctest.Test(t, func(*testing.T) {
			to.ResetAt(time.Now().Add(time.Second))
			time.Sleep(time.Minute)
		})
		return // and so it has not ended
	}
	t.Parallel()
	out, err := timertest.OwnProcess(t).CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Contains(t, string(out), "panic: "+outsideItsBubble)
}

// It can be stopped from anywhere: that reads no clock.
func TestATimerFromOutsideTheBubbleMayBeStoppedInside(t *testing.T) {
	tm := timertest.New()
	to := tm.AfterFunc(time.Hour, timertest.Nop)
	other := tm.AfterFunc(time.Hour, timertest.Nop)
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, to.Stop())
		assert.Equal(t, []*hashedwheel.Timeout{other}, tm.Stop())
	})
}

// Whoever stops so many looks whether the worker's alarm has rung.
func TestACrowdFromOutsideTheBubbleMayBeStoppedInside(t *testing.T) {
	tm := timertest.New(hashedwheel.WithTick(time.Hour))
	all := make([]*hashedwheel.Timeout, 20_000)
	for i := range all {
		all[i] = tm.AfterFunc(10*time.Hour, timertest.Nop)
	}
	require.Equal(t, len(all), tm.Pending(), "none is left in the queue")
	time.Sleep(10 * timertest.Tick) // the worker waits for its tick
	synctest.Test(t, func(t *testing.T) {
		for _, to := range all {
			require.True(t, to.Stop())
		}
		assert.Empty(t, tm.Stop())
	})
}

// A user's clock and a ManualClock know nothing of bubbles.
func TestATimerOnAManualClockServesInAnyBubble(t *testing.T) {
	clock, tm := timertest.NewManual()
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			var log timertest.RunLog
			timertest.Owned(tm, &log).Reset(time.Second)
			clock.Advance(time.Second)
			assert.Equal(t, 1, log.Count())
		})
	}
}
