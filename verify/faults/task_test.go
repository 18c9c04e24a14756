package faults

import (
	"context"
	"sync/atomic"
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
		for _, late := range timertest.Lateness(tm, []time.Duration{10 * timertest.Tick, time.Second}) {
			assert.Zero(t, late, "the others")
		}
		far := tm.AfterFunc(time.Hour, timertest.Nop)
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		begun := time.Now()
		left, err := tm.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "Shutdown reports that it did not wait")
		assert.Equal(t, time.Minute, time.Since(begun))
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

// Executors that misbehave. They are user code on the worker: a lost or repeated task affects no other task.

// swallower is an executor that never runs every nth task.
func swallower(nth int64) hashedwheel.Option {
	var turn atomic.Int64
	return hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		if turn.Add(1)%nth != 0 {
			f()
		}
	}))
}

// Each run of a series arms the next. If the executor swallows a run, the series waits until its owner resets or stops
// it.
func TestFaultExecutorSwallowsARunOfASeries(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		start := time.Now()
		series := tm.Every(10*timertest.Tick, func(*hashedwheel.Series) { log.Note() })
		timertest.Pass(100 * timertest.Tick)
		assert.Equal(t, 2, log.Count())
		assert.Zero(t, tm.Pending())
		assert.Equal(t, start.Add(30*timertest.Tick), series.Next(), "it waits for the run that was swallowed")
		assert.True(t, series.Reset(10*timertest.Tick))
		timertest.Pass(20 * timertest.Tick)
		assert.Equal(t, 4, log.Count())
		timertest.Pass(100 * timertest.Tick)
		assert.True(t, series.Stop(), "it waits again")
		assert.True(t, series.Next().IsZero())
		assert.Zero(t, tm.Pending())
	}, swallower(3))
}

func twice(f func()) { f(); f() }

// The task runs twice, but the timer counts it once, and Shutdown waits for the others as if nothing had happened.
func TestFaultExecutorRunsATaskTwice(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		for range 100 {
			tm.AfterFunc(timertest.Tick, func() { ran++ })
		}
		timertest.Pass(timertest.Tick)
		assert.Equal(t, 200, ran)
		assert.Equal(t, uint64(100), tm.Stats().Expired)
		tm.AfterFunc(timertest.Tick, func() { time.Sleep(time.Hour) })
		timertest.Pass(2 * timertest.Tick)
		assert.ErrorIs(t, timertest.ShutdownErr(tm), context.DeadlineExceeded, "one runs")
		timertest.Pass(2 * time.Hour)
		assert.NoError(t, timertest.ShutdownErr(tm))
	}, hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(twice)))
}
