package hashedwheel_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// Tasks that never return, arm without end or end their goroutines.

// On the default executor; for Inline see TestHandoffOfTenThousandSlowTasks.
func TestFaultTasksThatNeverReturn(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		over := make(chan struct{})
		for i := range 10_000 {
			tm.AfterFunc(time.Duration(i%100)*oneTick, func() { <-over })
		}
		pass(200 * oneTick)
		for _, late := range lateness(tm, []time.Duration{0, 10 * oneTick, time.Second}) {
			assert.LessOrEqual(t, late, oneTick, "the others")
		}
		far := tm.AfterFunc(time.Hour, nop)
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		left, err := tm.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "they are told")
		assert.Equal(t, []*hashedwheel.Timeout{far}, left)
		close(over)
		assert.NoError(t, shutdownErr(tm))
	})
}

// On an executor of strict order it holds all up, itself too, until Stop.
func TestFaultTaskThatWaitsForTheTimerItHoldsUp(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		returned := false
		tm.AfterFunc(oneTick, func() {
			<-tm.After(10 * oneTick)
			returned = true
		})
		behind := tm.AfterFunc(20*oneTick, nop)
		pass(time.Hour)
		require.False(t, returned)
		assert.Equal(t, 2, tm.Pending())
		assert.Equal(t, []*hashedwheel.Timeout{behind}, tm.Stop())
		synctest.Wait()
		assert.True(t, returned)
		assert.NoError(t, shutdownErr(tm))
	}, onWorker)
}

func TestFaultTaskThatArmsAHundredThousand(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"goroutines":    nil,
		"the worker":    {onWorker},
		"a drain limit": {onWorker, hashedwheel.WithDrainLimit(100)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var ran, late atomic.Int64
				var others punctuality
				for i := range 10 {
					d := time.Duration(i) * oneTick
					tm.AfterFunc(d, others.since(time.Now().Add(d)))
				}
				tm.AfterFunc(5*oneTick, func() {
					due := time.Now()
					for range aHundredThousand {
						tm.AfterFunc(0, func() {
							ran.Add(1)
							if time.Since(due) > 2*oneTick {
								late.Add(1)
							}
						})
					}
				})
				pass(10 * oneTick)
				assert.Equal(t, int64(aHundredThousand), ran.Load())
				assert.Zero(t, late.Load(), "they run with the next tick, or the one after")
				others.assert(t, 10, oneTick)
			}, opts...)
		})
	}
}

// Each task arms two more: a bound on what is pending bounds the work of a tick.
func TestFaultTasksThatMultiply(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const bound, ticks = 1000, 50
		var others punctuality
		for i := range ticks {
			d := time.Duration(1+i) * oneTick
			tm.AfterFunc(d, others.since(time.Now().Add(d)))
		}
		ran := 0
		var multiply func()
		multiply = func() {
			ran++
			tm.AfterFunc(0, multiply)
			tm.AfterFunc(0, multiply)
		}
		multiply()
		for range ticks {
			pass(oneTick)
			require.LessOrEqual(t, tm.Pending(), bound)
		}
		others.assert(t, ticks, oneTick)
		assert.LessOrEqual(t, ran, ticks*bound)
		stats, left := tm.Stats(), len(tm.Stop())
		assert.Equal(t, uint64(2*ran+ticks), stats.Expired+stats.Rejected+uint64(left), "each arming has its outcome")
	}, onWorker, hashedwheel.WithMaxPending(1000))
}

func TestFaultTaskThatArmsItselfAtOnceForEverDoesNotHoldAdvanceUp(t *testing.T) {
	clock, tm := newManual()
	runs := 0
	owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
		runs++
		to.Reset(-time.Hour)
	})).Reset(0)
	returns(t, func() { clock.Advance(time.Second) })
	assert.Equal(t, 100, runs, "once a tick")
}

// On the machine's clock, until the timer is stopped.
func TestFaultTasksThatArmThemselvesAtOnceForEver(t *testing.T) {
	for name, e := range executors() {
		t.Run(name, func(t *testing.T) {
			tm := newStressed(e)
			var ran, began atomic.Int64
			task := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				ran.Add(1)
				began.Add(1)
				to.Reset(0)
			})
			for range 1000 {
				began.Add(1)
				owned(tm, task).Reset(0)
			}
			returns(t, func() { lateness(tm, []time.Duration{10 * oneTick}) })
			left := len(shutdown(t, tm))
			assert.Equal(t, began.Load(), ran.Load()+int64(left)+int64(tm.Stats().Rejected))
			assert.LessOrEqual(t, left, 1000)
		})
	}
}

// The handler is told of a nil panic, too, and may end the goroutine itself.
func TestFaultPanicWithNilAndAHandlerThatCallsGoexit(t *testing.T) {
	for name, opts := range withEitherExecutor {
		t.Run(name, func(t *testing.T) {
			var told atomic.Int64
			handler := hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, recovered any) {
				if _, ok := recovered.(*runtime.PanicNilError); ok {
					told.Add(1)
				}
				runtime.Goexit()
			})
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				for range 200 {
					tm.AfterFunc(oneTick, func() { panic(nil) })
				}
				pass(2 * oneTick)
				assert.Equal(t, int64(200), told.Load())
				assert.Equal(t, uint64(200), tm.Stats().Panics)
				assert.NoError(t, shutdownErr(tm))
			}, append(opts, handler)...)
		})
	}
}
