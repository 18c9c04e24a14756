package faults

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Executors that misbehave. They are user code on the worker: a lost or repeated task affects no
// other task.

// swallower is an executor that never runs every nth task.
func swallower(nth int64) hashedwheel.Option {
	var turn atomic.Int64
	return hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		if turn.Add(1)%nth != 0 {
			f()
		}
	}))
}

func TestFaultExecutorSwallowsATask(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		all := make([]*hashedwheel.Timeout, 300)
		for round := range 2 {
			for i := range all {
				if round == 0 {
					all[i] = tm.AfterFunc(5*timertest.Tick, func() { ran++ })
				} else {
					assert.False(t, all[i].Reset(5*timertest.Tick), "expired, run or not")
				}
			}
			timertest.Pass(5 * timertest.Tick)
			assert.Equal(t, (round+1)*200, ran, "all others have run")
			assert.Equal(t, uint64((round+1)*300), tm.Stats().Expired, "handed to the executor")
			assert.Zero(t, tm.Pending())
		}
		assert.ErrorIs(t, timertest.ShutdownErr(tm), context.DeadlineExceeded, "Shutdown waits for them")
	}, swallower(3))
}

// Each run of a series arms the next. If the executor swallows a run, the series waits until its
// owner resets or stops it.
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

// That is twice for the task. The timer counts it once, and Shutdown waits for
// the others as if nothing had happened.
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

func TestFaultExecutorRunsASeriesTwice(t *testing.T) {
	for name, e := range map[string]hashedwheel.ExecutorFunc{
		"one after the other": twice,
		"side by side":        func(f func()) { go f(); go f() },
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log timertest.RunLog
				start := time.Now()
				tm.Every(10*timertest.Tick, func(*hashedwheel.Series) {
					log.Note()
					time.Sleep(2 * timertest.Tick)
				})
				timertest.Pass(105 * timertest.Tick)
				timertest.AssertOnGrid(t, start, 10*timertest.Tick, 2*timertest.Tick, log.Times(),
					timertest.UpTo(10)...)
			}, hashedwheel.WithExecutor(e))
		})
	}
}

// The tasks of an hour run at its end. Each arming has one run, although its Timeout may have been
// armed again by then; an arming that Stop canceled has none.
func TestFaultExecutorRunsTasksMuchLater(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		ran := 0
		to := timertest.Owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { ran++ }))
		began, stopped := 0, 0
		for i := range 3600 {
			if !to.Reset(timertest.Tick) {
				began++
			}
			time.Sleep(time.Second)
			if i%3 == 0 {
				assert.False(t, to.Stop(), "it is with the executor")
				to.Reset(time.Minute)
				began++
				assert.True(t, to.Stop())
				stopped++
			}
		}
		assert.Zero(t, ran)
		assert.ErrorIs(t, timertest.ShutdownErr(tm), context.DeadlineExceeded)
		assert.Equal(t, 3600, pool.Release())
		assert.Equal(t, began-stopped, ran)
		assert.NoError(t, timertest.ShutdownErr(tm), "all that it waited for has come")
	})
}

func TestFaultExecutorEndsTheWorkersGoroutine(t *testing.T) {
	for name, e := range map[string]hashedwheel.ExecutorFunc{
		"beside the task":   func(f func()) { go f(); runtime.Goexit() },
		"after the task":    func(f func()) { f(); runtime.Goexit() },
		"and runs the task": func(f func()) { defer f(); runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var ran atomic.Int64
				for i := range 300 {
					tm.AfterFunc(time.Duration(i%3)*timertest.Tick, func() { ran.Add(1) })
				}
				tm.AfterFunc(time.Hour, timertest.Nop)
				timertest.Pass(3 * timertest.Tick)
				assert.Equal(t, int64(300), ran.Load())
				assert.Zero(t, timertest.LibraryGoroutines(), "none is left over")
				assert.NoError(t, timertest.ShutdownErr(tm))
			}, hashedwheel.WithExecutor(e))
		})
	}
}

// A full pool keeps the worker waiting, and nothing else. All timeouts that are armed, moved and
// stopped in that time have their outcome later.
func TestFaultExecutorBlocks(t *testing.T) {
	const full = 2 * time.Hour
	var wait sync.Once
	pool := hashedwheel.ExecutorFunc(func(f func()) {
		wait.Do(func() { time.Sleep(full) })
		f()
	})
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n = 300
		stopped := 0
		var ran atomic.Int64
		var all []*hashedwheel.Timeout
		for i := range n {
			all = append(all, tm.AfterFunc(time.Duration(i%2)*3*time.Hour, func() { ran.Add(1) }))
		}
		timertest.Pass(time.Hour)
		start := time.Now()
		for i, to := range all {
			if i%3 == 0 && to.Stop() {
				stopped++
			} else {
				to.Reset(time.Minute) // also the timeout whose task the pool has
			}
		}
		assert.Equal(t, n-stopped, tm.Pending())
		assert.Zero(t, time.Since(start), "nobody waits")
		require.Zero(t, ran.Load())
		timertest.Pass(full)
		assert.Equal(t, int64(n-stopped+1), ran.Load(), "the one that was with the pool has run for both armings")
		assert.NoError(t, timertest.ShutdownErr(tm))
	}, hashedwheel.WithExecutor(pool))
}

// The executor calls the timer that calls it.
func TestFaultExecutorCallsTheTimer(t *testing.T) {
	for method, call := range timertest.EveryMethod {
		t.Run(method, func(t *testing.T) {
			var mine atomic.Pointer[hashedwheel.Timeout]
			called := make(chan bool, 100)
			tm := timertest.New(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
				call(mine.Load())
				f()
				select {
				case called <- true:
				default:
				}
			})))
			defer tm.Stop()
			mine.Store(timertest.Owned(tm, timertest.NopTask))
			timertest.Returns(t, func() {
				tm.AfterFunc(0, timertest.Nop)
				<-called
			})
		})
	}
}
