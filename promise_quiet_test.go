package hashedwheel_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

func TestQuietBeforeTheFirstArming(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		owned(tm, nopTask)
		tm.Pending()
		tm.Stats()
		synctest.Wait()
		assert.Zero(t, libraryGoroutines())
	})
}

func TestQuietWithOneGoroutineWhileAnythingIsPending(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 100 {
			tm.AfterFunc(time.Duration(1+i)*time.Hour, nop)
		}
		pass(time.Minute)
		assert.Equal(t, 1, libraryGoroutines())
	})
}

func TestQuietWhileNothingIsPending(t *testing.T) {
	for name, settle := range map[string]func(to *hashedwheel.Timeout){
		"all expired":          func(to *hashedwheel.Timeout) { pass(time.Hour) },
		"all cancelled":        func(to *hashedwheel.Timeout) { to.Stop() },
		"all cancelled, filed": func(to *hashedwheel.Timeout) { pass(10 * oneTick); to.Stop() },
		"all that are left are never due": func(to *hashedwheel.Timeout) {
			to.Reset(1 << 62)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				for range 3 { // it ends as often as it starts
					to := owned(tm, nopTask)
					to.Reset(time.Hour)
					settle(to)
					pass(3 * oneTick)
					if name == "all that are left are never due" {
						pass(time.Hour) // the wheel looks at where it was filed
					}
					assert.Zero(t, libraryGoroutines())
				}
			})
		})
	}
}

func TestQuietAfterStop(t *testing.T) {
	for _, age := range []time.Duration{0, oneTick / 2, oneTick, 20 * oneTick, time.Minute} {
		t.Run(fmt.Sprintf("after %v", age), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(time.Hour, nop)
				tm.AfterFunc(10*oneTick, nop)
				pass(age)
				tm.Stop()
				synctest.Wait() // not a tick later: now
				assert.Zero(t, libraryGoroutines())
				tm.AfterFunc(time.Hour, nop)
				synctest.Wait()
				assert.Zero(t, libraryGoroutines(), "nothing starts it again")
			})
		})
	}
}

// The bubble finds no goroutine that waits when its function has returned.
func TestQuietAfterStopThatEndsABubble(t *testing.T) {
	for _, d := range []time.Duration{0, 10 * oneTick, time.Hour, 1 << 62} {
		for _, age := range []time.Duration{0, oneTick / 2, oneTick, 3 * oneTick} {
			synctest.Test(t, func(t *testing.T) {
				tm := newTickingTimer()
				tm.AfterFunc(d, nop)
				time.Sleep(age)
				tm.Stop()
			})
		}
	}
}

// A timer that is dropped needs no Stop once nothing is pending.
func TestQuietSoThatADroppedTimerIsGarbage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dropped := func() weak.Pointer[hashedwheel.Timer] {
			tm := newTickingTimer()
			tm.AfterFunc(oneTick, nop)
			tm.AfterFunc(time.Hour, nop).Stop()
			return weak.Make(tm)
		}()
		pass(5 * oneTick)
		runtime.GC()
		assert.Nil(t, dropped.Value())
	})
}

func wakeups(tm *hashedwheel.Timer, d time.Duration) uint64 {
	before := tm.Stats().Wakeups
	pass(d)
	return tm.Stats().Wakeups - before
}

func TestQuietWithOneFarTimeout(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, oneTick, time.Second} {
		for _, size := range []int{1, 8, 512} {
			t.Run(fmt.Sprintf("tick %v, %d buckets", tick, size), func(t *testing.T) {
				inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					to := tm.AfterFunc(time.Hour, nop)
					assert.LessOrEqual(t, wakeups(tm, 2*time.Hour), uint64(5))
					assert.Equal(t, hashedwheel.Expired, to.State())
				}, hashedwheel.WithTick(tick), hashedwheel.WithWheelSize(size))
			})
		}
	}
}

func TestQuietWithManyFarTimeouts(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 10_000 {
			tm.AfterFunc(time.Hour+time.Duration(i)*time.Second, nop)
		}
		assert.LessOrEqual(t, wakeups(tm, 50*time.Minute), uint64(5))
	}, hashedwheel.WithWheelSize(8))
}

func TestQuietWhenABurstArms(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Hour, nop)
		pass(time.Minute)
		for range 10_000 {
			tm.AfterFunc(time.Hour, nop)
		}
		assert.LessOrEqual(t, wakeups(tm, time.Minute), uint64(5))
	})
}

// A connection moves its idle timeout once a second: the worker looks after it
// when the old deadline comes, not at each move.
func TestQuietWhileATimeoutIsMovedLater(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		idle := owned(tm, nopTask)
		idle.Reset(time.Minute)
		pass(5 * oneTick)
		before := tm.Stats().Wakeups
		for range 3600 {
			idle.Reset(time.Minute)
			time.Sleep(time.Second)
		}
		assert.LessOrEqual(t, tm.Stats().Wakeups-before, uint64(60*5), "a few a minute")
		assert.Zero(t, tm.Stats().Expired)
	})
}

func TestQuietBetweenTicksThatAreFarApart(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 100 {
			tm.AfterFunc(time.Duration(1+i)*time.Second, nop)
		}
		assert.LessOrEqual(t, wakeups(tm, 200*time.Second), uint64(105), "one for each that is due")
	}, hashedwheel.WithWheelSize(8))
}

// sleepLog is the bubble's clock and counts what the worker asks of it.
type sleepLog struct{ sleeps, spins, reads atomic.Int64 }

func (c *sleepLog) Now() time.Time {
	c.reads.Add(1)
	return time.Now()
}

func (c *sleepLog) After(d time.Duration) <-chan time.Time {
	c.sleeps.Add(1)
	if d <= 0 {
		c.spins.Add(1)
	}
	return time.After(d)
}

// A sleep that is rounded to nothing turns waiting into spinning.
func TestQuietWithoutSpinning(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, 333_333, 10*time.Millisecond - 1} {
		t.Run(tick.String(), func(t *testing.T) {
			clock := new(sleepLog)
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				for i := range 100 {
					tm.AfterFunc(time.Duration(i)*77_777, nop)
				}
				pass(time.Second)
				assert.Equal(t, uint64(100), tm.Stats().Expired)
				assert.Zero(t, clock.spins.Load(), "sleeps of no length")
				assert.LessOrEqual(t, clock.sleeps.Load(), int64(105), "sleeps")
				assert.LessOrEqual(t, clock.reads.Load(), int64(100+100+3*105),
					"looks at the clock: one an arming, one a task, three a sleep")
			}, hashedwheel.WithClock(clock), hashedwheel.WithTick(tick))
		})
	}
}
