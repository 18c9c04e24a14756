package hashedwheel_test

import (
	"context"
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

// Real goroutines and the real clock. What is timed here is timed from below
// only, since a loaded machine may be late but the timer must never be early.

func lasting(d time.Duration) time.Duration {
	if testing.Short() {
		return d / 5
	}
	return d
}

// executors are the three ways to run a task.
func executors() map[string]hashedwheel.Executor {
	return map[string]hashedwheel.Executor{
		"Inline":     hashedwheel.Inline{},
		"goroutines": hashedwheel.ExecutorFunc(func(f func()) { go f() }),
		"default":    nil,
	}
}

// newStressed has a tick of 1ms and e, or the default if e is nil.
func newStressed(e hashedwheel.Executor, opts ...hashedwheel.Option) *hashedwheel.Timer {
	if e != nil {
		opts = append(opts, hashedwheel.WithExecutor(e))
	}
	return newTickingTimer(opts...)
}

func shutdown(t *testing.T, tm *hashedwheel.Timer) []*hashedwheel.Timeout {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	left, err := tm.Shutdown(ctx)
	require.NoError(t, err, "Shutdown waited in vain")
	return left
}

// crowd is many goroutines at one timer, and the books of what they did.
//
// A Reset that returns true goes on with the arming it found, one that returns
// false begins a new one. So however many goroutines reset the same Timeout,
// there are as many outcomes as there were Resets that returned false.
type crowd struct {
	tm *hashedwheel.Timer

	began, ran, stopped atomic.Int64
	early               atomic.Int64

	shared [24]hashedwheel.Timeout
	recent [64]atomic.Pointer[arming]

	quit    atomic.Bool
	members sync.WaitGroup
	mu      sync.Mutex
	armings []*arming // guarded by mu
}

// arming is one that nobody moves: it must have one outcome by itself.
type arming struct {
	to           *hashedwheel.Timeout
	ran, stopped atomic.Int32
}

func randomDelay() time.Duration { return time.Duration(rand.IntN(8_000_000) - 500_000) }

// join has a member call f again and again until quit.
func (c *crowd) join(f func()) {
	c.members.Go(func() {
		for i := 0; !c.quit.Load(); i++ {
			f()
			if i%64 == 0 {
				time.Sleep(50 * time.Microsecond)
			}
		}
	})
}

func (c *crowd) assemble() {
	for i := range c.shared {
		c.shared[i].Init(c.tm, hashedwheel.TaskFunc(c.expire))
	}
	c.join(c.afterFunc)
	c.join(c.schedule)
	c.join(c.stopRecent)
	for range 2 {
		c.join(func() { c.reset(&c.shared[rand.IntN(len(c.shared))], randomDelay()) })
		c.join(c.stopShared)
	}
	c.join(func() {
		c.tm.Pending()
		c.tm.Stats()
	})
}

func (c *crowd) afterFunc() {
	a, d := new(arming), randomDelay()
	deadline := time.Now().Add(d)
	a.to = c.tm.AfterFunc(d, func() { c.expireOnce(a, deadline) })
	c.keep(a)
}

func (c *crowd) schedule() {
	a, d := new(arming), randomDelay()
	deadline := time.Now().Add(d)
	to, err := c.tm.Schedule(d, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { c.expireOnce(a, deadline) }))
	if err != nil {
		c.began.Add(1) // and refused, as the timer's Stats will tell
		return
	}
	a.to = to
	c.keep(a)
}

func (c *crowd) keep(a *arming) {
	c.began.Add(1)
	c.recent[rand.IntN(len(c.recent))].Store(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armings = append(c.armings, a)
}

func (c *crowd) expireOnce(a *arming, deadline time.Time) {
	if time.Now().Before(deadline) {
		c.early.Add(1)
	}
	a.ran.Add(1)
	c.ran.Add(1)
}

// expire is the task of a shared timeout. Every other time it arms it again.
func (c *crowd) expire(to *hashedwheel.Timeout) {
	deadline := to.Deadline()
	expired := to.State() == hashedwheel.Expired && to.Deadline().Equal(deadline)
	if expired && time.Now().Before(deadline) {
		c.early.Add(1)
	}
	if c.ran.Add(1)%2 == 0 {
		c.reset(to, randomDelay())
	}
}

func (c *crowd) reset(to *hashedwheel.Timeout, d time.Duration) {
	if !to.Reset(d) {
		c.began.Add(1)
	}
}

func (c *crowd) stopRecent() {
	if a := c.recent[rand.IntN(len(c.recent))].Load(); a != nil && a.to.Stop() {
		a.stopped.Add(1)
		c.stopped.Add(1)
	}
}

func (c *crowd) stopShared() {
	if c.shared[rand.IntN(len(c.shared))].Stop() {
		c.stopped.Add(1)
	}
}

// disperse stops the timer in the middle of it all and balances the books.
func (c *crowd) disperse(t *testing.T) {
	left := shutdown(t, c.tm)
	ran := c.ran.Load()
	time.Sleep(3 * time.Millisecond) // some more armings, all too late
	c.quit.Store(true)
	c.members.Wait()

	stats := c.tm.Stats()
	assert.Zero(t, c.early.Load(), "ran early")
	assert.Equal(t, ran, c.ran.Load(), "a task ran after Shutdown")
	assert.Equal(t, uint64(ran), stats.Expired)
	assert.Zero(t, stats.Pending)
	assert.Equal(t, c.began.Load(), ran+c.stopped.Load()+int64(len(left))+int64(stats.Rejected),
		"armings = ran %d + stopped %d + left %d + refused %d", ran, c.stopped.Load(), len(left), stats.Rejected)
	c.assertOneOutcomeEach(t, left)
}

func (c *crowd) assertOneOutcomeEach(t *testing.T, left []*hashedwheel.Timeout) {
	returned := make(map[*hashedwheel.Timeout]int32)
	for _, to := range left {
		returned[to]++
	}
	wrong := 0
	for _, a := range c.armings {
		outcomes := a.ran.Load() + a.stopped.Load() + returned[a.to]
		if a.to.State() == hashedwheel.Rejected {
			outcomes++
		}
		if outcomes != 1 {
			wrong++
		}
	}
	assert.Zero(t, wrong, "of %d armings do not have exactly one outcome", len(c.armings))
}

func TestACrowdHasOneOutcomePerArming(t *testing.T) {
	for name, e := range executors() {
		for _, limit := range []int{0, 20} {
			t.Run(name, func(t *testing.T) {
				c := &crowd{tm: newStressed(e, hashedwheel.WithMaxPending(limit), hashedwheel.WithWheelSize(4))}
				c.assemble()
				time.Sleep(lasting(200 * time.Millisecond))
				assert.Eventually(t, func() bool { return c.ran.Load() > 0 }, 20*time.Second, time.Millisecond)
				if limit > 0 { // and what 8 calls under way may add
					assert.LessOrEqual(t, c.tm.Pending(), limit+8)
				}
				c.disperse(t)
			})
		}
	}
}

func TestStopAtAnyMomentLosesNothing(t *testing.T) {
	for name, e := range executors() {
		t.Run(name, func(t *testing.T) {
			for end := time.Now().Add(lasting(400 * time.Millisecond)); time.Now().Before(end); {
				c := &crowd{tm: newStressed(e)}
				c.assemble()
				time.Sleep(time.Duration(rand.IntN(3_000_000)))
				c.disperse(t)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// Its owner alone arms and stops a timeout, while others drain it: what a call
// has said must be so.
func TestADrainTakesNoCallBack(t *testing.T) {
	tm := newStressed(hashedwheel.Inline{})
	defer tm.Stop()
	defer counting(tm)()
	wrong, to := 0, owned(tm, nopTask)
	for end := time.Now().Add(lasting(300 * time.Millisecond)); time.Now().Before(end); {
		for i := range 100 {
			at := end.Add(time.Hour - time.Duration(i))
			to.ResetAt(at)
			if to.State() != hashedwheel.Pending || !to.Deadline().Equal(at) {
				wrong++
			}
			if !to.Stop() || to.State() != hashedwheel.Cancelled {
				wrong++
			}
		}
	}
	assert.Zero(t, wrong)
}

// spinUntil keeps its processor for as long as two goroutines need to meet.
func spinUntil(v *atomic.Int64, n int64) {
	for i := 1; v.Load() < n; i++ {
		if i%10_000 == 0 {
			runtime.Gosched()
		}
	}
}

// Many timeouts of one tick are stopped while the worker hands them out.
func TestStopAndExpiryOfTheSameMomentAgree(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()
	var ran, round, begun, answered atomic.Int64
	task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
		r := round.Load()
		ran.Add(1)
		begun.Store(r)
		spinUntil(&answered, r) // the first holds the others up until the race can begin
	})
	all := make([]hashedwheel.Timeout, 512)
	for i := range all {
		all[i].Init(tm, task)
	}
	began, stopped := int64(0), int64(0)
	for end := time.Now().Add(lasting(300 * time.Millisecond)); time.Now().Before(end); {
		round.Add(1)
		for i := range all {
			all[i].Reset(0)
			began++
		}
		spinUntil(&begun, round.Load())
		answered.Store(round.Load())
		for ran.Load()+stopped < began {
			if all[rand.IntN(len(all))].Stop() {
				stopped++
			}
		}
	}
	shutdown(t, tm)
	assert.Equal(t, began, ran.Load()+stopped)
	t.Logf("%d ran, %d stopped", ran.Load(), stopped)
}

// What a small drain limit has left over is neither in the queue nor in the
// wheel when the first task stops the timer.
func TestStopFromATaskReturnsTheBacklog(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		left := -1
		tm.AfterFunc(3*oneTick, func() { left = len(tm.Stop()) })
		pass(2*oneTick + 1)
		for range 10 {
			tm.AfterFunc(time.Hour, nop)
		}
		pass(oneTick)
		assert.Equal(t, 10, left)
	}, onWorker, hashedwheel.WithDrainLimit(1))
}

func TestShutdownReturnsAfterTheLastTask(t *testing.T) {
	for name, e := range executors() {
		t.Run(name, func(t *testing.T) {
			tm := newStressed(e)
			var begun, ended atomic.Int64
			for i := range 200 {
				tm.AfterFunc(time.Duration(i%4)*oneTick, func() {
					begun.Add(1)
					time.Sleep(100 * time.Microsecond)
					ended.Add(1)
					if i%8 == 0 {
						runtime.Goexit()
					}
				})
			}
			for begun.Load() == 0 {
				runtime.Gosched()
			}
			left := shutdown(t, tm)
			n := ended.Load()
			assert.Equal(t, int64(200), n+int64(len(left)))
			assert.Equal(t, begun.Load(), n)
		})
	}
}

// Each of many lone users arms one short timeout around the moment at which the
// worker goes to sleep, and has it run before it arms the next.
func TestNoWakeUpIsLostAsTheWorkerParks(t *testing.T) {
	rounds := int(lasting(1000))
	var users sync.WaitGroup
	for u := range 48 {
		users.Go(func() {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
			defer tm.Stop()
			if u%3 > 0 {
				tm.AfterFunc(time.Hour, nop) // the worker sleeps; without it, it ends
			}
			if u%32 == 2 {
				defer counting(tm)()
			}
			for range rounds {
				if !fires(tm, u%3 == 2) {
					t.Error("a timeout of 50µs has not run for 10s")
					return
				}
			}
		})
	}
	users.Wait()
}

// counting drains in the worker's place all the time, until it is ended.
func counting(tm *hashedwheel.Timer) (end func()) {
	var quit atomic.Bool
	var done sync.WaitGroup
	done.Go(func() {
		for i := 1; !quit.Load(); i++ {
			tm.Pending()
			if i%64 == 0 {
				runtime.Gosched()
			}
		}
	})
	return func() {
		quit.Store(true)
		done.Wait()
	}
}

// fires arms a short timeout and waits until it has run, then for a moment.
func fires(tm *hashedwheel.Timer, count bool) bool {
	ran := make(chan struct{})
	tm.AfterFunc(50*time.Microsecond, func() { close(ran) })
	if count {
		tm.Pending()
	}
	select {
	case <-ran:
	case <-time.After(10 * time.Second):
		return false
	}
	for wait := time.Now().Add(time.Duration(rand.IntN(250_000))); time.Now().Before(wait); {
		runtime.Gosched()
	}
	return true
}

func TestInlineGoexitLosesNoNeighbour(t *testing.T) {
	tm := newStressed(hashedwheel.Inline{})
	var running sync.WaitGroup
	for i := range 2000 {
		running.Add(1)
		tm.AfterFunc(time.Duration(i%3)*oneTick, func() {
			defer running.Done()
			if i%5 == 0 {
				runtime.Goexit()
			}
		})
	}
	returns(t, running.Wait)
	assert.Empty(t, shutdown(t, tm))
	assert.Equal(t, uint64(2000), tm.Stats().Expired)
}

func TestPanickingTasksAreAllHandled(t *testing.T) {
	for name, e := range executors() {
		t.Run(name, func(t *testing.T) {
			var handled atomic.Int64
			tm := newStressed(e, hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, recovered any) {
				if to.State() == hashedwheel.Expired && recovered == "on purpose" {
					handled.Add(1)
				}
			}))
			for i := range 500 {
				tm.AfterFunc(time.Duration(i%3)*oneTick, func() {
					if i%2 == 0 {
						panic("on purpose")
					}
				})
			}
			returns(t, func() {
				for tm.Pending() > 0 {
					time.Sleep(oneTick)
				}
			})
			assert.Empty(t, shutdown(t, tm))
			assert.Equal(t, int64(250), handled.Load())
			assert.Equal(t, uint64(250), tm.Stats().Panics)
		})
	}
}

func TestManyGoroutinesRearmOneTimeout(t *testing.T) {
	for name, e := range executors() {
		t.Run(name, func(t *testing.T) {
			c := &crowd{tm: newStressed(e)}
			to := owned(c.tm, hashedwheel.TaskFunc(c.expire))
			for range 8 {
				c.join(func() {
					c.reset(to, time.Duration(rand.IntN(2_000_000)))
					if rand.IntN(8) == 0 && to.Stop() {
						c.stopped.Add(1)
					}
				})
			}
			time.Sleep(lasting(150 * time.Millisecond))
			c.disperse(t)
		})
	}
}

// One goroutine moves a timeout later; it must not run before the time that the
// last Reset has asked for.
func TestATimeoutThatIsMovedLaterIsNeverEarly(t *testing.T) {
	tm := newStressed(hashedwheel.Inline{})
	defer tm.Stop()
	var notBefore, early, ran atomic.Int64
	start := time.Now()
	to := owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
		if int64(time.Since(start)) < notBefore.Load() {
			early.Add(1)
		}
		ran.Add(1)
	}))
	for time.Since(start) < lasting(200*time.Millisecond) {
		at := int64(time.Since(start) + 2*oneTick)
		if to.Reset(2 * oneTick) {
			notBefore.Store(at) // it was pending, so it has not run, and now waits for this
		}
		time.Sleep(time.Duration(rand.IntN(2_200_000)))
	}
	assert.Zero(t, early.Load())
	t.Logf("ran %d times", ran.Load())
}

// The rest is on virtual time: odd moments that a stress test meets too seldom.

func TestGoexitDoesNotDelayTheRestOfItsTick(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		for range 1000 {
			tm.AfterFunc(oneTick, func() {
				ran++
				runtime.Goexit()
			})
		}
		pass(oneTick)
		assert.Equal(t, 1000, ran)
	}, onWorker)
}

// What is over the drain limit is filed when its tick has been handed out, and
// so runs with the next one.
func TestWhatADrainLimitLeavesOverIsATickLateAtMost(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var ran atomic.Int64
		for range 3 {
			tm.AfterFunc(oneTick/2, func() { ran.Add(1) })
		}
		pass(oneTick)
		assert.Positive(t, ran.Load())
		pass(oneTick)
		assert.Equal(t, int64(3), ran.Load())
	}, onWorker, hashedwheel.WithDrainLimit(1))
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
	clock := &tardyClock{ManualClock: hashedwheel.NewManualClock(time.Unix(0, 0))}
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, clock) }, onWorker, hashedwheel.WithClock(clock))
}

// An arming wakes the worker just before a tick, and it reads the clock just
// after. What is due at that tick must not wait for the one after it.
func TestAWorkerWokenJustBeforeATickDoesNotMissIt(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		tm.AfterFunc(10*oneTick, func() { ran = true })
		for range 19 {
			clock.Advance(oneTick / 2)
			synctest.Wait()
		}
		other, far := owned(tm, nopTask), clock.Now().Add(time.Hour)
		clock.beforeNow.Store(int64(oneTick / 2)) // for the worker: ResetAt does not read the clock
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
		clock.Advance(oneTick)
		synctest.Wait() // the worker has filed it and looks for more for another tick
		clock.beforeAfter.Store(int64(time.Hour))
		clock.Advance(oneTick)
		synctest.Wait()
		assert.Zero(t, clock.beforeAfter.Load())
		clock.Advance(oneTick)
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestAClockThatMovesOnAsTheWorkerGoesToSleepMakesNothingLate(t *testing.T) {
	onTardyClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *tardyClock) {
		ran := false
		clock.beforeAfter.Store(int64(6 * oneTick / 10))
		tm.AfterFunc(oneTick/2, func() { ran = true })
		synctest.Wait()
		assert.Zero(t, clock.beforeAfter.Load())
		clock.Advance(4 * oneTick / 10)
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestNeverEarlyWhenATaskSetsTheClockBack(t *testing.T) {
	clock := new(steppingClock)
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		deadline := clock.Now().Add(oneTick)
		for range 2 {
			tm.AfterFunc(oneTick, func() {
				assert.False(t, clock.Now().Before(deadline), "early by %v", deadline.Sub(clock.Now()))
				clock.step(-time.Second)
			})
		}
		pass(3 * time.Second)
	}, onWorker, hashedwheel.WithClock(clock))
}

// After a stall of 1000 ticks, tasks that arm themselves in the past run once a
// tick, not once for each tick that was missed.
func TestArmingInThePastReplaysNoMissedTicks(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		runs := 0
		var again func()
		again = func() {
			runs++
			tm.AfterFunc(-time.Hour, again)
			tm.Pending() // files it while the missed ticks are being handed out
		}
		tm.AfterFunc(oneTick, func() { time.Sleep(1000 * oneTick) })
		for range 64 {
			tm.AfterFunc(2*oneTick, again)
		}
		pass(1001 * oneTick)
		assert.LessOrEqual(t, runs, 2*64)
	}, onWorker)
}

// As a handler does that logs and panics again. The executor has run the task,
// so the panic that leaves it is no sign that the task will not run.
func TestShutdownWaitsForATaskAfterAPanicHandlerPanicked(t *testing.T) {
	handled := 0
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 2 {
			tm.AfterFunc(0, func() { panic("on purpose") })
		}
		tm.AfterFunc(5*oneTick, func() { time.Sleep(time.Hour) })
		pass(6 * oneTick) // the last one runs now
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := tm.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		pass(time.Hour)
	}, hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { f() })),
		hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, recovered any) {
			if handled++; handled%2 == 1 {
				panic(recovered)
			}
		}))
}

func TestAnExecutorFuncThatIsNilIsABadOption(t *testing.T) {
	_, err := hashedwheel.New(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(nil)))
	assert.ErrorContains(t, err, "hashedwheel: WithExecutor(nil)")
}
