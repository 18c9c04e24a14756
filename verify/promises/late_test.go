package promises

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Timeouts of several ticks are queued together, so some of them wait behind others that are due later. A plain cap on
// the armings that a tick files would take many ticks for these, and forever if they kept coming.
func TestAtMostOneTickLateBehindABacklog(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 20 {
			delays := make([]time.Duration, timertest.Backlog)
			for i := range delays {
				delays[i] = time.Duration(i%8+1) * timertest.Tick / 4
			}
			for i, late := range timertest.Lateness(tm, delays) {
				require.LessOrEqual(t, late, timertest.Tick, "a delay of %v", delays[i])
			}
		}
	}, timertest.OnWorker)
}

// The alarm is set for the far timeout, or not at all: an arming must set it earlier.
func TestAtMostOneTickLateBesideAFarTimeout(t *testing.T) {
	for _, others := range []time.Duration{0, 10 * time.Second, time.Hour} {
		t.Run(fmt.Sprintf("the next one is due in %v", others), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				if others > 0 {
					tm.AfterFunc(others, timertest.Nop)
				}
				for i := range 100 {
					time.Sleep(5*timertest.Tick + time.Duration(i)*timertest.Tick/10)
					late := timertest.Lateness(tm, []time.Duration{time.Duration(i) * timertest.Tick / 3})
					require.LessOrEqual(t, late[0], timertest.Tick)
				}
			})
		})
	}
}

// Pending and Stats file armings in the worker's place. They must not hide them
// from a goroutine that is about to set the alarm for a later tick.
func TestAtMostOneTickLateWhilePendingIsCalled(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Hour, timertest.Nop)
		for i := range 2000 {
			var callers sync.WaitGroup
			for range 2 {
				callers.Go(func() { tm.Pending() })
			}
			late := timertest.Lateness(tm, []time.Duration{time.Duration(i%4) * timertest.Tick})
			require.LessOrEqual(t, late[0], timertest.Tick, "round %d", i)
			callers.Wait()
		}
	})
}

// note arms a timeout and returns where the clock's time of its run will be.
func note(tm *hashedwheel.Timer, clock hashedwheel.Clock, d time.Duration) *time.Time {
	at := new(time.Time)
	tm.AfterFunc(d, func() { *at = clock.Now() })
	return at
}

func TestAtMostOneTickLateWhenTheClockJumpsForward(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		start, jump := clock.Now(), 20*24*time.Hour
		passedOver, beyond := note(tm, clock, time.Hour), note(tm, clock, jump+time.Hour)
		timertest.Pass(10 * timertest.Tick)
		clock.Step(jump)
		landed := clock.Now()
		synctest.Wait()
		assert.Equal(t, landed, *passedOver, "what was passed over runs at once")
		fresh := note(tm, clock, 5*timertest.Tick)
		timertest.Pass(10 * timertest.Tick)
		assert.WithinRange(t, *fresh, landed.Add(5*timertest.Tick), landed.Add(6*timertest.Tick))
		timertest.Pass(2 * time.Hour)
		assert.WithinRange(t, *beyond, start.Add(jump+time.Hour), start.Add(jump+time.Hour+timertest.Tick))
	})
}

// tardyClock moves on just before the worker reads it, or waits on it: as if
// the worker had been off its processor for so long.
type tardyClock struct {
	*hashedwheel.ManualClock
	beforeNow, beforeAfter atomic.Int64

	atEachAfter time.Duration // for a thousand calls: a mistake must not go on forever
	afters      atomic.Int64
}

func (c *tardyClock) Now() time.Time {
	c.Advance(time.Duration(c.beforeNow.Swap(0)))
	return c.ManualClock.Now()
}

func (c *tardyClock) After(d time.Duration) <-chan time.Time {
	c.Advance(time.Duration(c.beforeAfter.Swap(0)))
	if c.afters.Add(1) < 1000 {
		c.Advance(c.atEachAfter)
	}
	return c.ManualClock.After(d)
}

func onTardyClock(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock)) {
	t.Helper()
	timertest.LeaveFilingToTheWorker(t) // the tests know what it does in which tick
	clock := &tardyClock{ManualClock: hashedwheel.NewManualClock(time.Unix(0, 0))}
	onIt := func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, clock) }
	timertest.InBubble(t, onIt, timertest.OnWorker, hashedwheel.WithClock(clock))
}

// An arming brings the worker just before a tick, and the worker reads the clock just after.
// Timeouts of that tick must not wait for the next.
func TestAWorkerThatComesJustBeforeATickDoesNotMissIt(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		tm.AfterFunc(100*timertest.Tick, func() { ran = true })
		for range 199 {
			clock.Advance(timertest.Tick / 2)
			timertest.Pass(1)
		}
		other, far := timertest.Owned(tm, timertest.NopTask), clock.Now().Add(time.Hour)
		clock.beforeNow.Store(int64(timertest.Tick / 2)) // for the worker: ResetAt does not read the clock
		other.ResetAt(far)
		timertest.Pass(1)
		assert.True(t, ran)
	})
}

func TestAClockThatMovesOnAsTheAlarmIsSetMakesNothingLate(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		clock.beforeAfter.Store(int64(6 * timertest.Tick / 10))
		tm.AfterFunc(timertest.Tick/2, func() { ran = true })
		timertest.Pass(1)
		assert.Zero(t, clock.beforeAfter.Load())
		clock.Advance(4 * timertest.Tick / 10)
		synctest.Wait()
		assert.True(t, ran)
	})
}

// A worker that asked its clock until the answer suits would do nothing else.
func TestWorkerOnAUsersClockNeitherHangsNorSpins(t *testing.T) {
	for _, d := range []time.Duration{3 * timertest.Tick, time.Minute} {
		onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
			clock.atEachAfter = d
			to := tm.AfterFunc(24*time.Hour, timertest.Nop)
			timertest.Pass(1)
			assert.LessOrEqual(t, clock.afters.Load(), int64(6))
			assert.Equal(t, []*hashedwheel.Timeout{to}, timertest.Shutdown(t, tm))
		})
	}
}
