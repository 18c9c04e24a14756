package faults

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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
