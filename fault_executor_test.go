package hashedwheel_test

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
)

// Executors that do not do what they should. They are user code on the worker:
// what they do to a task is the end of that task, and of nothing else.

// shutdownErr is what Shutdown says after a minute of waiting.
func shutdownErr(tm *hashedwheel.Timer) error {
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	_, err := tm.Shutdown(ctx)
	return err
}

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
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		all := make([]*hashedwheel.Timeout, 300)
		for round := range 2 {
			for i := range all {
				if round == 0 {
					all[i] = tm.AfterFunc(5*oneTick, func() { ran++ })
				} else {
					assert.False(t, all[i].Reset(5*oneTick), "expired, run or not")
				}
			}
			pass(5 * oneTick)
			assert.Equal(t, (round+1)*200, ran, "all others have run")
			assert.Equal(t, uint64((round+1)*300), tm.Stats().Expired, "handed to the executor")
			assert.Zero(t, tm.Pending())
		}
		assert.ErrorIs(t, shutdownErr(tm), context.DeadlineExceeded, "Shutdown waits for them in vain")
	}, swallower(3))
}

// A series goes on with each run; one that is swallowed leaves it at rest, where
// whoever holds it can begin it anew or end it.
func TestFaultExecutorSwallowsARunOfASeries(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		series := tm.Every(10*oneTick, log.note)
		pass(100 * oneTick)
		assert.Equal(t, 2, log.count())
		assert.Equal(t, 1, tm.Pending(), "it rests")
		assert.True(t, series.Reset(10*oneTick))
		pass(20 * oneTick)
		assert.Equal(t, 4, log.count())
		pass(100 * oneTick)
		assert.True(t, series.Stop(), "it rests again")
		assert.Zero(t, tm.Pending())
	}, swallower(3))
}

func twice(f func()) { f(); f() }

// That is twice for the task. The timer counts it once, and Shutdown waits for
// the others as if nothing had happened.
func TestFaultExecutorRunsATaskTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		for range 100 {
			tm.AfterFunc(oneTick, func() { ran++ })
		}
		pass(oneTick)
		assert.Equal(t, 200, ran)
		assert.Equal(t, uint64(100), tm.Stats().Expired)
		tm.AfterFunc(oneTick, func() { time.Sleep(time.Hour) })
		pass(2 * oneTick)
		assert.ErrorIs(t, shutdownErr(tm), context.DeadlineExceeded, "one runs")
		pass(2 * time.Hour)
		assert.NoError(t, shutdownErr(tm))
	}, hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(twice)))
}

func TestFaultExecutorRunsASeriesTwice(t *testing.T) {
	for name, e := range map[string]hashedwheel.ExecutorFunc{
		"one after the other": twice,
		"side by side":        func(f func()) { go f(); go f() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log runLog
				start := time.Now()
				tm.Every(10*oneTick, func() {
					log.note()
					time.Sleep(2 * oneTick)
				})
				pass(105 * oneTick)
				assertOnGrid(t, start, 10*oneTick, 2*oneTick, log.times(), upTo(10)...)
			}, hashedwheel.WithExecutor(e))
		})
	}
}

// The tasks of an hour are run at its end. Each arming has its one run, though
// its Timeout was armed again meanwhile; those that Stop said true to have none.
func TestFaultExecutorRunsTasksMuchLater(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		ran := 0
		to := owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { ran++ }))
		began, stopped := 0, 0
		for i := range 3600 {
			if !to.Reset(oneTick) {
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
		assert.ErrorIs(t, shutdownErr(tm), context.DeadlineExceeded)
		assert.Equal(t, 3600, pool.release())
		assert.Equal(t, began-stopped, ran)
		assert.NoError(t, shutdownErr(tm), "all that it waited for has come")
	})
}

func TestFaultExecutorEndsTheWorkersGoroutine(t *testing.T) {
	for name, e := range map[string]hashedwheel.ExecutorFunc{
		"beside the task":   func(f func()) { go f(); runtime.Goexit() },
		"after the task":    func(f func()) { f(); runtime.Goexit() },
		"and runs the task": func(f func()) { defer f(); runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var ran atomic.Int64
				for i := range 300 {
					tm.AfterFunc(time.Duration(i%3)*oneTick, func() { ran.Add(1) })
				}
				tm.AfterFunc(time.Hour, nop)
				pass(3 * oneTick)
				assert.Equal(t, int64(300), ran.Load())
				assert.Equal(t, 1, libraryGoroutines(), "a worker")
				assert.NoError(t, shutdownErr(tm))
			}, hashedwheel.WithExecutor(e))
		})
	}
}

// A pool that is full keeps the worker waiting, and nobody else. All that is
// armed, moved and stopped meanwhile has its outcome after that.
func TestFaultExecutorBlocks(t *testing.T) {
	const full = 2 * time.Hour
	var wait sync.Once
	pool := hashedwheel.ExecutorFunc(func(f func()) {
		wait.Do(func() { time.Sleep(full) })
		f()
	})
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n = 300
		stopped := 0
		var ran atomic.Int64
		var all []*hashedwheel.Timeout
		for i := range n {
			all = append(all, tm.AfterFunc(time.Duration(i%2)*3*time.Hour, func() { ran.Add(1) }))
		}
		pass(time.Hour)
		start := time.Now()
		for i, to := range all {
			if i%3 == 0 && to.Stop() {
				stopped++
			} else {
				to.Reset(time.Minute) // the one that is with the pool, too
			}
		}
		assert.Equal(t, n-stopped, tm.Pending())
		assert.Zero(t, time.Since(start), "nobody waits")
		require.Zero(t, ran.Load())
		pass(full)
		assert.Equal(t, int64(n-stopped+1), ran.Load(), "the one that was with the pool has run for both armings")
		assert.NoError(t, shutdownErr(tm))
	}, hashedwheel.WithExecutor(pool))
}

// The executor calls the timer that calls it.
func TestFaultExecutorCallsTheTimer(t *testing.T) {
	for method, call := range everyMethod {
		t.Run(method, func(t *testing.T) {
			var mine atomic.Pointer[hashedwheel.Timeout]
			called := make(chan bool, 100)
			tm := newTickingTimer(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
				call(mine.Load())
				f()
				select {
				case called <- true:
				default:
				}
			})))
			defer tm.Stop()
			mine.Store(owned(tm, nopTask))
			returns(t, func() {
				tm.AfterFunc(0, nop)
				<-called
			})
		})
	}
}
