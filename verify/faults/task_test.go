// Package faults contains the tests of the faults in docs/reliability.md: of executors, tasks and the machine.
package faults

import (
	"context"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Tasks that never return, or panic.

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

// Without a handler a panic in a task ends the program with its stack: no fault is silently ignored.
func TestFaultPanicWithoutAHandlerCrashes(t *testing.T) {
	panics := hashedwheel.ExecutorFunc(func(func()) { timertest.PanicHere() })
	again := func(*hashedwheel.Timeout, any) { timertest.PanicHere() }
	for name, opts := range map[string][]hashedwheel.Option{
		"in a task":               nil,
		"in a task on the worker": {timertest.OnWorker},
		"in a task of Inline":     {timertest.Inline},
		"in a task of a Limit":    {hashedwheel.WithExecutor(hashedwheel.Limit(1))},
		"in the executor":         {hashedwheel.WithExecutor(panics)},
		"in the panic handler":    {hashedwheel.WithPanicHandler(again)},
	} {
		t.Run(name, func(t *testing.T) {
			if timertest.IsOwnProcess(t) {
				timertest.New(opts...).AfterFunc(0, timertest.PanicHere)
				time.Sleep(time.Minute)
				return // and so it has not crashed
			}
			t.Parallel()
			out, err := timertest.OwnProcess(t).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 2, exit.ExitCode())
			assert.Contains(t, string(out), "panic: on purpose")
			assert.Contains(t, string(out), "timertest.PanicHere", "where it came from")
		})
	}
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

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
