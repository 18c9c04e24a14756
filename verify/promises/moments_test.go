package promises

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Odd moments, which the stress tests meet too seldom.

// The rest of a drain is neither in the queue nor in the wheel when the first task stops the timer.
func TestStopFromATaskReturnsTheBacklog(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		left := -1
		tm.AfterFunc(3*timertest.Tick, func() { left = len(tm.Stop()) })
		timertest.Pass(2*timertest.Tick + 1)
		for range timertest.Backlog {
			tm.AfterFunc(time.Hour, timertest.Nop)
		}
		timertest.Pass(timertest.Tick)
		assert.Equal(t, timertest.Backlog, left)
	}, timertest.OnWorker)
}

func TestGoexitDoesNotDelayTheRestOfItsTick(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		for range 1000 {
			tm.AfterFunc(timertest.Tick, func() {
				ran++
				runtime.Goexit()
			})
		}
		timertest.Pass(timertest.Tick)
		assert.Equal(t, 1000, ran)
	}, timertest.OnWorker)
}

// tardyClock moves on just before the worker reads it, or waits on it: as if
// the worker had been off its processor for so long.
type tardyClock struct {
	*hashedwheel.ManualClock
	beforeNow, beforeAfter atomic.Int64
}

func (c *tardyClock) Now() time.Time {
	c.Advance(time.Duration(c.beforeNow.Swap(0)))
	return c.ManualClock.Now()
}

func (c *tardyClock) After(d time.Duration) <-chan time.Time {
	c.Advance(time.Duration(c.beforeAfter.Swap(0)))
	return c.ManualClock.After(d)
}

func onTardyClock(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock)) {
	t.Helper()
	timertest.LeaveFilingToTheWorker(t) // the tests know what it does in which tick
	clock := &tardyClock{ManualClock: hashedwheel.NewManualClock(time.Unix(0, 0))}
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, clock) }, timertest.OnWorker, hashedwheel.WithClock(clock))
}

// An arming wakes the worker just before a tick, and the worker reads the clock just after.
// Timeouts of that tick must not wait for the next.
func TestAWorkerWokenJustBeforeATickDoesNotMissIt(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		tm.AfterFunc(10*timertest.Tick, func() { ran = true })
		for range 19 {
			clock.Advance(timertest.Tick / 2)
			synctest.Wait()
		}
		other, far := timertest.Owned(tm, timertest.NopTask), clock.Now().Add(time.Hour)
		clock.beforeNow.Store(int64(timertest.Tick / 2)) // for the worker: ResetAt does not read the clock
		other.ResetAt(far)
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestAClockThatStepsAsTheWorkerGoesToSleepDoesNotStopIt(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		tm.AfterFunc(time.Hour, func() { ran = true })
		synctest.Wait()
		clock.Advance(timertest.Tick)
		synctest.Wait() // the worker has filed it and looks for more for another tick
		clock.beforeAfter.Store(int64(time.Hour))
		clock.Advance(timertest.Tick)
		synctest.Wait()
		assert.Zero(t, clock.beforeAfter.Load())
		clock.Advance(timertest.Tick)
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestAClockThatMovesOnAsTheWorkerGoesToSleepMakesNothingLate(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		clock.beforeAfter.Store(int64(6 * timertest.Tick / 10))
		tm.AfterFunc(timertest.Tick/2, func() { ran = true })
		synctest.Wait()
		assert.Zero(t, clock.beforeAfter.Load())
		clock.Advance(4 * timertest.Tick / 10)
		synctest.Wait()
		assert.True(t, ran)
	})
}

// After a stall of 1000 ticks, tasks that arm themselves in the past run once a
// tick, not once for each tick that was missed.
func TestArmingInThePastReplaysNoMissedTicks(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		runs := 0
		var again func()
		again = func() {
			runs++
			tm.AfterFunc(-time.Hour, again)
			tm.Pending() // files it while the missed ticks are being handed out
		}
		tm.AfterFunc(timertest.Tick, func() { time.Sleep(1000 * timertest.Tick) })
		for range 64 {
			tm.AfterFunc(2*timertest.Tick, again)
		}
		timertest.Pass(1001 * timertest.Tick)
		assert.LessOrEqual(t, runs, 2*64)
	}, timertest.OnWorker)
}

// As a handler does that logs and panics again. The executor has run the task,
// so the panic that leaves it is no sign that the task will not run.
func TestShutdownWaitsForATaskAfterAPanicHandlerPanicked(t *testing.T) {
	handled := 0
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 2 {
			tm.AfterFunc(0, func() { panic("on purpose") })
		}
		tm.AfterFunc(5*timertest.Tick, func() { time.Sleep(time.Hour) })
		timertest.Pass(6 * timertest.Tick) // the last one runs now
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := tm.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		timertest.Pass(time.Hour)
	}, hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { f() })),
		hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, recovered any) {
			if handled++; handled%2 == 1 {
				panic(recovered)
			}
		}))
}
