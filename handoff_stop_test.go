package hashedwheel_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

func TestHandoffThenStopFromTheSlowTask(t *testing.T) {
	for _, at := range []time.Duration{0, oneTick / 2, 3 * oneTick / 2, 10 * oneTick} {
		for _, n := range []int{2, 64, 1000} {
			t.Run(fmt.Sprintf("after %v, %d of one tick", at, n), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					assertStopTellsTheTruth(t, tm, n, func() []*hashedwheel.Timeout {
						time.Sleep(at)
						left := tm.Stop()
						time.Sleep(20 * oneTick)
						return left
					}, nil)
				})
			})
		}
	}
}

func TestHandoffAndStopBesideTheSlowTask(t *testing.T) {
	for quarters := range 13 {
		for _, n := range []int{2, 64, 1000} {
			at := time.Duration(quarters) * oneTick / 4
			t.Run(fmt.Sprintf("after %v, %d of one tick", at, n), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					assertStopTellsTheTruth(t, tm, n, func() []*hashedwheel.Timeout {
						time.Sleep(50 * oneTick)
						return nil
					}, func() []*hashedwheel.Timeout {
						pass(5*oneTick + at)
						return tm.Stop()
					})
				})
			})
		}
	}
}

// assertStopTellsTheTruth arms n timeouts of one tick and one for later. The
// first to run is slow; it or beside stops the timer and returns what was left.
func assertStopTellsTheTruth(t *testing.T, tm *hashedwheel.Timer, n int, slow, beside func() []*hashedwheel.Timeout) {
	var left []*hashedwheel.Timeout
	var ran, lateRuns, stopped atomic.Int32
	siblings(tm, n, 5*oneTick, func() {
		ran.Add(1)
		if got := slow(); got != nil {
			left = got
			stopped.Store(1)
		}
	}, func() {
		ran.Add(1)
		lateRuns.Add(stopped.Load())
	})
	far := tm.AfterFunc(time.Hour, nop)
	if beside != nil {
		left = beside()
		stopped.Store(1)
		handoffs := tm.Stats().Handoffs
		defer func() { assert.Equal(t, handoffs, tm.Stats().Handoffs, "handed on after Stop") }()
	}
	pass(100 * oneTick)
	assert.Zero(t, lateRuns.Load(), "ran after Stop had returned")
	assert.Equal(t, n+1, int(ran.Load())+len(left), "each ran or was left")
	assert.Contains(t, left, far)
	for _, to := range left {
		assert.Equal(t, hashedwheel.Cancelled, to.State())
	}
	assert.Zero(t, tm.Pending())
	assert.Equal(t, uint64(ran.Load()), tm.Stats().Expired)
	assert.Zero(t, libraryGoroutines())
}

// Shutdown waits for a task that the wheel has gone on without.
func TestHandoffAndShutdownBesideTheSlowTask(t *testing.T) {
	for kind, end := range map[string]func(){"returns": func() {}, "calls Goexit": runtime.Goexit, "panics": panicHere} {
		for quarters := range 13 {
			at := time.Duration(quarters) * oneTick / 4
			t.Run(fmt.Sprintf("it %s, after %v", kind, at), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					var returned atomic.Bool
					siblings(tm, 100, 5*oneTick, func() {
						time.Sleep(50 * oneTick)
						returned.Store(true)
						end()
					}, nop)
					pass(5*oneTick + at)
					_, err := tm.Shutdown(t.Context())
					require.NoError(t, err)
					assert.True(t, returned.Load(), "Shutdown waited for it")
				}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
			})
		}
	}
}

// And for all that the new workers have started beside themselves.
func TestHandoffAndShutdownWaitsForAllThatBlock(t *testing.T) {
	for halves := range 12 {
		at := time.Duration(halves) * oneTick / 2
		t.Run(fmt.Sprintf("after %v", at), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var began, returned atomic.Int32
				for range 100 {
					tm.AfterFunc(5*oneTick, func() {
						i := began.Add(1)
						time.Sleep(50*oneTick + time.Duration(i)*oneTick) // the last to begin returns last
						returned.Add(1)
					})
				}
				pass(5*oneTick + at)
				left, err := tm.Shutdown(t.Context())
				require.NoError(t, err)
				assert.Equal(t, began.Load(), returned.Load())
				assert.Equal(t, 100, len(left)+int(began.Load()))
			})
		})
	}
}

func TestHandoffAndShutdownFromTheSlowTask(t *testing.T) {
	for _, at := range []time.Duration{0, 3 * oneTick / 2, 10 * oneTick} {
		t.Run(fmt.Sprintf("after %v", at), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				siblings(tm, 100, 5*oneTick, func() {
					time.Sleep(at)
					ctx, end := context.WithTimeout(context.Background(), time.Second)
					defer end()
					_, err := tm.Shutdown(ctx)
					assert.ErrorIs(t, err, context.DeadlineExceeded, "it waited for itself")
				}, nop)
				pass(2 * time.Second)
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// Pending is called at every stage, by somebody else and by the tasks, and
// drains in the worker's place.
func TestHandoffAndPendingAgree(t *testing.T) {
	for _, limit := range []int{1, 100_000} {
		t.Run(fmt.Sprintf("drain limit %d", limit), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var ran atomic.Int32
				siblings(tm, 200, 5*oneTick, func() {
					ran.Add(1)
					time.Sleep(10 * oneTick)
				}, func() { ran.Add(1) })
				pass(5 * oneTick)
				for i := range 100 {
					assert.Equal(t, 200+i-int(ran.Load()), tm.Pending())
					tm.AfterFunc(50*oneTick, func() { ran.Add(1) })
					assert.Equal(t, tm.Pending(), tm.Stats().Pending)
					pass(oneTick / 4)
				}
				assert.Equal(t, int32(200), ran.Load())
				pass(100 * oneTick)
				assert.Equal(t, int32(300), ran.Load())
			}, hashedwheel.WithDrainLimit(limit))
		})
	}
}

// A hand-over after the clock was set back finds timeouts due of a tick that is
// now to come. Build with -tags invariants.
func TestHandoffAfterTheClockWasSetBack(t *testing.T) {
	clock := new(steppingClock)
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(50*oneTick, nop)
		pass(60 * oneTick)
		var turn atomic.Int32
		for range 300 {
			tm.AfterFunc(-time.Hour, func() {
				switch n := turn.Add(1); {
				case n == 1:
					clock.step(-30 * oneTick)
					time.Sleep(20 * oneTick)
				case n > 20 && n <= 20+16: // more than the 8 that go to goroutines
					time.Sleep(20 * oneTick)
				}
			})
		}
		pass(100 * oneTick)
		assert.Equal(t, int32(300), turn.Load())
		assert.GreaterOrEqual(t, tm.Stats().Handoffs, uint64(2))
		assert.Zero(t, tm.Pending())
	}, hashedwheel.WithClock(clock))
}
