package hashedwheel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// isClosed reports whether a channel of After is closed. It does not wait.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// openAmong returns how many of the channels are not closed.
func openAmong(channels []<-chan struct{}) (n int) {
	for _, c := range channels {
		if !isClosed(c) {
			n++
		}
	}
	return n
}

// onAnyExecutor is inBubble on every executor, those that run nothing too.
func onAnyExecutor(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	for name, opts := range map[string][]hashedwheel.Option{
		"goroutines":           nil,
		"Inline":               {hashedwheel.WithExecutor(hashedwheel.Inline{})},
		"the worker":           {onWorker},
		"a pool that is stuck": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm) }, opts...)
		})
	}
}

func TestAfterIsNeverEarlyAndAtMostOneTickLate(t *testing.T) {
	for _, phase := range []time.Duration{0, 1, oneTick / 3, oneTick - 1} {
		t.Run("asked "+phase.String()+" after a tick", func(t *testing.T) {
			onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(phase)
				var waiters sync.WaitGroup
				for _, d := range delaysAround(8) {
					deadline := time.Now().Add(max(d, 0))
					c := tm.After(d)
					waiters.Go(func() {
						<-c
						assert.WithinRange(t, time.Now(), deadline, deadline.Add(oneTick), "After(%v)", d)
					})
				}
				waiters.Wait()
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestAfterIsSharedByAllCallersOfATick(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(oneTick / 4)
		c := tm.After(10 * oneTick) // rounds up to tick 11
		assert.Equal(t, c, tm.After(10*oneTick+oneTick*3/4), "the last of the tick")
		assert.Equal(t, c, tm.After(9*oneTick+oneTick*3/4+1), "the first of the tick")
		assert.NotEqual(t, c, tm.After(10*oneTick+oneTick*3/4+1), "of the next")
		assert.NotEqual(t, c, tm.After(9*oneTick+oneTick*3/4), "of the one before")
		time.Sleep(oneTick / 2)
		assert.Equal(t, c, tm.After(10*oneTick), "later, and still the same tick")
		time.Sleep(5 * oneTick)
		assert.Equal(t, c, tm.After(5*oneTick))
		assert.Equal(t, 3, tm.Pending(), "one a tick")
		pass(time.Second)
		assert.True(t, isClosed(c))
		assert.Zero(t, tm.Pending())
	})
}

// What callers look at first has one place for all of these.
func TestAfterTellsTicksApartThatCollide(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		delay := func(i int) time.Duration { return time.Duration(10+64*i) * oneTick }
		var channels []<-chan struct{}
		for i := range 10 {
			channels = append(channels, tm.After(delay(i)))
		}
		for range 3 {
			for i, c := range channels {
				assert.Equal(t, c, tm.After(delay(i)), "the same tick again")
			}
		}
		assert.Equal(t, 10, tm.Pending())
		start := time.Now()
		for i, c := range channels {
			pass(time.Until(start.Add(delay(i) - 1)))
			assert.Equal(t, 10-i, openAmong(channels), "just before")
			assert.False(t, isClosed(c))
			pass(1)
			assert.True(t, isClosed(c))
			assert.Equal(t, 9-i, openAmong(channels))
		}
		assert.False(t, isClosed(tm.After(delay(0))), "the place is used again")
	})
}

func TestAfterIsReleasedByStop(t *testing.T) {
	onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var channels []<-chan struct{}
		arm := func() {
			for _, d := range []time.Duration{0, oneTick, 10 * oneTick, 74 * oneTick, time.Hour, math.MaxInt64} {
				channels = append(channels, tm.After(d))
			}
		}
		arm()
		pass(5*oneTick + oneTick/2) // into the wheel
		arm()                       // still in the queue
		start := time.Now()
		var waiters sync.WaitGroup
		for _, c := range channels {
			waiters.Go(func() { <-c })
		}
		assert.Empty(t, tm.Stop(), "nobody's timeouts")
		waiters.Wait()
		assert.Zero(t, time.Since(start), "at once")
		assert.Zero(t, tm.Pending())
		channels = nil
		arm()
		assert.Zero(t, openAmong(channels), "later calls")
		pass(time.Hour)
	})
}

func TestAfterIsReleasedByStopOfATimerNeverUsed(t *testing.T) {
	tm := newTickingTimer()
	tm.Stop()
	for _, d := range delaysAround(8) {
		assert.True(t, isClosed(tm.After(d)), "After(%v)", d)
	}
}

func TestAfterIsReleasedByShutdown(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		c := tm.After(time.Hour)
		tm.AfterFunc(0, func() { <-c }) // Shutdown waits for what waits
		pass(oneTick)
		_, err := tm.Shutdown(t.Context())
		require.NoError(t, err)
		assert.True(t, isClosed(c))
	})
}

func TestAfterIsReleasedByStopFromATask(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		sibling, later := tm.After(oneTick), tm.After(time.Hour)
		stopped := false
		tm.AfterFunc(oneTick, func() {
			tm.Stop()
			assert.True(t, isClosed(sibling), "due in the same tick")
			assert.True(t, isClosed(later))
			assert.True(t, isClosed(tm.After(oneTick)))
			stopped = true
		})
		pass(5 * oneTick)
		assert.True(t, stopped)
	}, onWorker)
}

// With one thread nothing runs beside this goroutine but what it waits for: a
// channel that another goroutine closes is still open here.
func TestAfterIsClosedByTheWorkerWhateverTheExecutor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, opts := range withEitherExecutor {
		t.Run(name, func(t *testing.T) {
			clock := hashedwheel.NewManualClock(epoch)
			tm := newTickingTimer(append(opts, hashedwheel.WithClock(clock))...)
			c := tm.After(oneTick)
			clock.Advance(oneTick)
			assert.True(t, isClosed(c), "when Advance returns")
			tm.Stop()
			assert.True(t, isClosed(c), "when Stop returns")
			assert.True(t, isClosed(tm.After(0)), "a call after Stop")
		})
	}
}

func TestAfterReleasesThousands(t *testing.T) {
	onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var released atomic.Int64
		var waiters sync.WaitGroup
		for i := range 5000 {
			d := time.Duration(i%10+1) * oneTick * 10
			waiters.Go(func() {
				<-tm.After(d)
				assert.GreaterOrEqual(t, time.Since(start), d)
				released.Add(1)
			})
		}
		synctest.Wait()
		assert.Equal(t, 10, tm.Pending(), "one a tick")
		for i := range 10 {
			pass(10 * oneTick)
			assert.Equal(t, int64(500*(i+1)), released.Load())
		}
		waiters.Wait()
	})
}

// The clock stands still, so all ask for the same tick; each time a new one.
func TestAfterGivesConcurrentFirstCallersTheSameChannel(t *testing.T) {
	clock, tm := newManual()
	defer tm.Stop()
	const callers = 8
	for round := range 2000 {
		var got [callers]<-chan struct{}
		var start, done sync.WaitGroup
		start.Add(1)
		for i := range callers {
			done.Go(func() {
				start.Wait()
				got[i] = tm.After(time.Duration(round+1) * time.Second)
			})
		}
		start.Done()
		done.Wait()
		for _, c := range got {
			require.Equal(t, got[0], c)
		}
		require.Equal(t, round+1, tm.Pending())
	}
	clock.Advance(time.Hour)
	assert.Zero(t, tm.Pending())
}

func TestAfterIsNeverEarlyWhenTheClockStepsBack(t *testing.T) {
	for _, back := range []time.Duration{1, oneTick, 5 * oneTick, 3 * time.Hour} {
		t.Run("by "+back.String(), func(t *testing.T) {
			onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
				wait := func(d time.Duration) *time.Time {
					closed, c := new(time.Time), tm.After(d)
					go func() {
						<-c
						*closed = clock.Now()
					}()
					return closed
				}
				pass(4 * time.Hour)
				start := clock.Now()
				over, before := wait(oneTick), wait(20*oneTick)
				pass(2*oneTick + oneTick/2)
				assert.WithinRange(t, *over, start.Add(oneTick), start.Add(2*oneTick))
				clock.step(-back)
				set := clock.Now()
				again, far := wait(20*oneTick), wait(2*time.Hour)
				pass(back + 3*time.Hour)
				assert.WithinRange(t, *before, start.Add(20*oneTick), start.Add(21*oneTick))
				assert.WithinRange(t, *again, set.Add(20*oneTick), set.Add(21*oneTick))
				assert.WithinRange(t, *far, set.Add(2*time.Hour), set.Add(2*time.Hour+oneTick))
			})
		})
	}
}

// A tick that the clock comes to a second time has a second channel.
func TestAfterIsNeverEarlyForATickThatWasClosedBefore(t *testing.T) {
	onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
		first := tm.After(10 * oneTick)
		pass(11 * oneTick)
		require.True(t, isClosed(first))
		clock.step(-11 * oneTick)
		second := tm.After(10 * oneTick)
		pass(9*oneTick + oneTick/2)
		assert.False(t, isClosed(second))
		pass(oneTick)
		assert.True(t, isClosed(second))
	})
}

// stepsBack is a clock that is set back while a tick is being handed out: after
// the first of its timeouts has expired.
type stepsBack struct {
	shown atomic.Int64
	armed atomic.Pointer[func()]
}

func (c *stepsBack) Now() time.Time {
	if step := c.armed.Load(); step != nil {
		(*step)()
	}
	return epoch.Add(time.Duration(c.shown.Load()))
}

func (c *stepsBack) After(time.Duration) <-chan time.Time { return time.After(oneTick) }

// The waiter that comes after the step has ten ticks to wait, like the first.
func TestAfterIsNeverEarlyWhenTheClockStepsBackWhileItsTickIsHandedOut(t *testing.T) {
	for name, opts := range withEitherExecutor {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				synctest.Test(t, func(t *testing.T) {
					clock := new(stepsBack)
					tm := newTickingTimer(append(opts, hashedwheel.WithClock(clock))...)
					defer tm.Stop()
					var second <-chan struct{}
					step := func() {
						if tm.Stats().Expired > 0 {
							clock.armed.Store(nil)
							clock.shown.Store(0)
							second = tm.After(10 * oneTick)
						}
					}
					tm.After(10 * oneTick)
					for range 3 {
						tm.AfterFunc(10*oneTick, nop) // the worker looks at the clock before each
					}
					tm.Pending() // files them
					clock.armed.Store(&step)
					clock.shown.Store(int64(10 * oneTick))
					pass(5 * oneTick)
					require.NotNil(t, second)
					require.False(t, isClosed(second))
				})
			}
		})
	}
}

func TestAfterIsClosedAtOnceWhenTheClockJumpsOverIt(t *testing.T) {
	onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
		over, beyond := tm.After(time.Hour), tm.After(21*24*time.Hour)
		pass(5 * oneTick)
		clock.step(20 * 24 * time.Hour)
		synctest.Wait()
		assert.True(t, isClosed(over))
		assert.False(t, isClosed(beyond))
		pass(24 * time.Hour)
		assert.True(t, isClosed(beyond))
	})
}

func TestAfterOutOfReachIsNever(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		never := tm.After(math.MaxInt64)
		pass(365 * 24 * time.Hour)
		assert.Equal(t, never, tm.After(math.MaxInt64-1), "never is a tick like others")
		assert.Equal(t, never, tm.After(20*365*24*time.Hour))
		assert.False(t, isClosed(never))
		assert.Equal(t, 1, tm.Pending())
		assert.Zero(t, libraryGoroutines(), "nothing to do")
		tm.Stop()
		assert.True(t, isClosed(never))
	})
}

func TestAfterIsNotRefusedByABound(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(time.Hour, nop)
		c := tm.After(10 * oneTick)
		other := tm.After(20 * oneTick)
		assert.False(t, isClosed(c))
		assert.Equal(t, 3, tm.Pending())
		pass(15 * oneTick)
		assert.True(t, isClosed(c))
		assert.True(t, to.Stop())
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, nop).State(), "but it counts")
		pass(15 * oneTick)
		assert.True(t, isClosed(other))
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, nop).State(), "until it is closed")
		assert.Equal(t, uint64(1), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

func TestAfterIsQuiet(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		c := tm.After(time.Hour)
		assert.LessOrEqual(t, wakeups(tm, 2*time.Hour), uint64(5))
		assert.True(t, isClosed(c))
		assert.Zero(t, libraryGoroutines())
	})
}

func TestAfterCountsInStats(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 100 {
			tm.After(oneTick)
		}
		tm.After(time.Hour)
		pass(2 * oneTick)
		assert.Equal(t, uint64(1), tm.Stats().Expired)
		tm.Stop()
		assert.Equal(t, uint64(1), tm.Stats().Cancelled)
	})
}

func TestAfterAllocatesNothingForAllButTheFirstCaller(t *testing.T) {
	tm := newSlowTimer(t)
	bounded := newSlowTimer(t, hashedwheel.WithMaxPending(1))
	delays := []time.Duration{0, time.Hour, 5 * time.Hour, 69 * time.Hour, math.MaxInt64} // two collide
	for name, call := range map[string]func(){
		"one delay": func() { tm.After(5 * time.Hour) },
		"many delays": func() {
			for _, d := range delays {
				tm.After(d)
			}
		},
		"a full timer": func() { bounded.After(5 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			call()
			assert.Zero(t, testing.AllocsPerRun(10_000, call))
		})
	}
}

// A server that ran for a day: millions of calls, and a new channel each tick.
func TestAfterLeavesNothingBehind(t *testing.T) {
	clock, tm := newManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()
	run := func(ticks int) (heap, allocs uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range ticks {
			for i := range 200 {
				tm.After(time.Duration(i%10) * time.Second)
			}
			clock.Advance(10 * time.Millisecond)
		}
		clock.Advance(time.Minute)
		runtime.GC()
		runtime.ReadMemStats(&after)
		return after.HeapAlloc, after.Mallocs - before.Mallocs
	}
	first, _ := run(2000)
	last, allocs := run(20_000)
	assert.Less(t, float64(last), float64(first)+64<<10, "bytes in use after 4,000,000 calls more")
	assert.Less(t, float64(allocs)/(20_000*200), 0.25, "allocations a call")
	assert.Zero(t, tm.Pending())
}

// A look at the world by all, on real time: nobody is early, nobody hangs, and
// who comes after Stop does not wait.
func TestAfterUnderFireIsNeverEarlyAndReleasesAll(t *testing.T) {
	for name, e := range executors() {
		for _, wheel := range []int{1, 512} {
			t.Run(fmt.Sprintf("%s, %d buckets", name, wheel), func(t *testing.T) {
				tm := newStressed(e, hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithWheelSize(wheel))
				var stopping atomic.Bool
				var early, released atomic.Int64
				var waiters sync.WaitGroup
				for i := range 200 {
					waiters.Go(func() {
						for !stopping.Load() {
							d := rand.N(3 * time.Millisecond)
							if i%10 == 0 {
								d = time.Hour // only Stop releases it
							}
							start := time.Now()
							<-tm.After(d)
							if time.Since(start) < d && !stopping.Load() {
								early.Add(1)
							}
							released.Add(1)
						}
					})
				}
				time.Sleep(lasting(300 * time.Millisecond))
				stopping.Store(true)
				returns(t, func() {
					assert.Empty(t, tm.Stop())
					waiters.Wait()
				})
				assert.Zero(t, early.Load())
				assert.Greater(t, released.Load(), int64(200))
				assert.Zero(t, tm.Pending())
				shutdown(t, tm)
			})
		}
	}
}

// Many begin to wait while the timer is stopped: each is released.
func TestAfterReleasesWhoComesDuringStop(t *testing.T) {
	for range 300 {
		tm := newStressed(nil)
		var ready, waiters sync.WaitGroup
		for i := range 4 {
			ready.Add(1)
			waiters.Go(func() {
				ready.Done()
				for j := range 50 {
					<-tm.After(time.Duration(1+i*50+j) * time.Hour)
				}
			})
		}
		ready.Wait()
		tm.Stop()
		returns(t, waiters.Wait)
		require.Zero(t, tm.Pending())
	}
}

// From the moment that Stop returns no channel is open, though its first caller
// may still be on the way.
func TestAfterReturnsAClosedChannelOnceStopHasReturned(t *testing.T) {
	const ticks = 20
	var open int
	for range 3000 {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Hour), hashedwheel.WithWheelSize(1))
		var started atomic.Bool
		var first sync.WaitGroup
		first.Go(func() {
			started.Store(true)
			for k := range time.Duration(ticks) {
				tm.After(k * time.Hour)
			}
		})
		for !started.Load() {
			runtime.Gosched()
		}
		tm.Stop()
		for k := range time.Duration(ticks) {
			if !isClosed(tm.After(k * time.Hour)) {
				open++
			}
		}
		first.Wait()
	}
	assert.Zero(t, open, "channels of %d", 3000*ticks)
}
