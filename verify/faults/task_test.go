package faults

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Tasks that never return, or arm without end.

// These run on the default executor, where no task waits for another.
func TestFaultTasksThatNeverReturn(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		over := make(chan struct{})
		for i := range 10_000 {
			tm.AfterFunc(time.Duration(i%100)*timertest.Tick, func() { <-over })
		}
		timertest.Pass(200 * timertest.Tick)
		for _, late := range timertest.Lateness(tm, []time.Duration{0, 10 * timertest.Tick, time.Second}) {
			assert.LessOrEqual(t, late, timertest.Tick, "the others")
		}
		far := tm.AfterFunc(time.Hour, timertest.Nop)
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		left, err := tm.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "Shutdown reports that it did not wait")
		assert.Equal(t, []*hashedwheel.Timeout{far}, left)
		close(over)
		assert.NoError(t, timertest.ShutdownErr(tm))
	})
}

// On an executor that runs tasks strictly in order, the task holds up all others, and itself, until Stop.
func TestFaultTaskThatWaitsForTheTimerItHoldsUp(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		returned := false
		tm.AfterFunc(timertest.Tick, func() {
			<-tm.After(10 * timertest.Tick)
			returned = true
		})
		behind := tm.AfterFunc(20*timertest.Tick, timertest.Nop)
		timertest.Pass(time.Hour)
		require.False(t, returned)
		assert.Equal(t, 2, tm.Pending())
		assert.Equal(t, []*hashedwheel.Timeout{behind}, tm.StopAll())
		timertest.Pass(1) // the channel has been due for an hour
		assert.True(t, returned)
		assert.NoError(t, timertest.ShutdownErr(tm))
	}, timertest.OnWorker)
}

// Each task schedules two more: a bound on pending timeouts bounds the work of a tick. The first tick is a tenth.
func TestFaultTasksThatMultiply(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const bound, ticks = 1000, 50
		var others timertest.LateLog
		for i := range ticks {
			d := time.Duration(1+i) * timertest.Tick
			tm.AfterFunc(d, others.In(d))
		}
		ran := 0
		var multiply hashedwheel.TaskFunc
		multiply = func(*hashedwheel.Timeout) {
			ran++
			for range 2 {
				_, _ = tm.Schedule(0, multiply)
			}
		}
		multiply(nil)
		for range ticks {
			timertest.Pass(timertest.Tick)
			require.LessOrEqual(t, tm.Pending(), bound)
		}
		others.Assert(t, ticks, timertest.Tick)
		assert.LessOrEqual(t, ran, (ticks+1)*bound)
		stats, left := tm.Stats(), len(tm.StopAll())
		assert.Equal(t, uint64(2*ran+ticks), stats.Expired+stats.Rejected+uint64(left), "each arming has its outcome")
	}, timertest.OnWorker, hashedwheel.WithMaxPending(1000))
}
