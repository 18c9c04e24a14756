package channels_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAfterIsNeverEarlyWhenTheClockStepsBack(t *testing.T) {
	for _, back := range []time.Duration{1, tick, 5 * tick, 3 * time.Hour} {
		t.Run("by "+back.String(), func(t *testing.T) {
			timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
				wait := func(d time.Duration) *time.Time {
					closed, c := new(time.Time), tm.After(d)
					go func() {
						<-c
						*closed = clock.Now()
					}()
					return closed
				}
				timertest.Pass(4 * time.Hour)
				start := clock.Now()
				over, before := wait(tick), wait(20*tick)
				timertest.Pass(2*tick + tick/2)
				assert.WithinRange(t, *over, start.Add(tick), start.Add(2*tick))
				clock.Step(-back)
				set := clock.Now()
				again, far := wait(20*tick), wait(2*time.Hour)
				timertest.Pass(back + 3*time.Hour)
				assert.WithinRange(t, *before, start.Add(20*tick), start.Add(21*tick))
				assert.WithinRange(t, *again, set.Add(20*tick), set.Add(21*tick))
				assert.WithinRange(t, *far, set.Add(2*time.Hour), set.Add(2*time.Hour+tick))
			})
		})
	}
}

// A tick that the clock reaches a second time has a second channel.
func TestAfterIsNeverEarlyForATickThatWasClosedBefore(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		first := tm.After(10 * tick)
		timertest.Pass(11 * tick)
		require.True(t, isClosed(first))
		clock.Step(-11 * tick)
		second := tm.After(10 * tick)
		timertest.Pass(9*tick + tick/2)
		assert.False(t, isClosed(second))
		timertest.Pass(tick)
		assert.True(t, isClosed(second))
	})
}

// stepsBack is a clock that is set back while a tick is being handed out: after
// the first of its timeouts has expired.
type stepsBack struct {
	shown atomic.Int64
	armed atomic.Pointer[func() (done bool)]
}

func (c *stepsBack) Now() time.Time {
	if step := c.armed.Swap(nil); step != nil && !(*step)() { // Swap, because step calls the timer, which calls Now
		c.armed.Store(step)
	}
	return timertest.Epoch.Add(time.Duration(c.shown.Load()))
}

func (c *stepsBack) After(time.Duration) <-chan time.Time { return time.After(tick) }

// A waiter that calls After behind the step waits ten ticks, like the first.
func TestAfterIsNeverEarlyWhenTheClockStepsBackWhileItsTickIsHandedOut(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				synctest.Test(t, func(t *testing.T) {
					clock := new(stepsBack)
					tm := timertest.New(append(opts, hashedwheel.WithClock(clock))...)
					defer tm.Stop()
					var second <-chan struct{}
					step := func() bool {
						if tm.Stats().Expired == 0 {
							return false
						}
						clock.shown.Store(0)
						second = tm.After(10 * tick)
						return true
					}
					tm.After(10 * tick)
					for range 3 {
						tm.AfterFunc(10*tick, timertest.Nop) // the worker looks at the clock before each
					}
					tm.Pending() // files them
					clock.armed.Store(&step)
					clock.shown.Store(int64(10 * tick))
					timertest.Pass(5 * tick)
					require.NotNil(t, second)
					require.False(t, isClosed(second))
					tm.Stop()
					require.True(t, isClosed(second), "although the tick had another channel")
				})
			}
		})
	}
}

func TestAfterIsClosedAtOnceWhenTheClockJumpsOverIt(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		over, beyond := tm.After(time.Hour), tm.After(21*24*time.Hour)
		timertest.Pass(5 * tick)
		clock.Step(20 * 24 * time.Hour)
		synctest.Wait()
		assert.True(t, isClosed(over))
		assert.False(t, isClosed(beyond))
		timertest.Pass(24 * time.Hour)
		assert.True(t, isClosed(beyond))
	})
}
