package hashedwheel_test

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const tick = timertest.Tick

// openAmong returns how many of the channels are not closed.
func openAmong(channels []<-chan struct{}) (n int) {
	for _, c := range channels {
		if !timertest.IsClosed(c) {
			n++
		}
	}
	return n
}

// onAnyExecutor is timertest.InBubble on every executor, also on executors that run nothing.
func onAnyExecutor(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	for name, opts := range map[string][]hashedwheel.Option{
		"goroutines":           nil,
		"Inline":               {hashedwheel.WithExecutor(hashedwheel.Inline{})},
		"the worker":           {timertest.OnWorker},
		"a pool that is stuck": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm) }, opts...)
		})
	}
}

func TestAfterIsNeverEarlyAndAtMostOneTickLate(t *testing.T) {
	for _, phase := range []time.Duration{0, 1, tick / 3, tick - 1} {
		t.Run("asked "+phase.String()+" after a tick", func(t *testing.T) {
			onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(phase)
				var waiters sync.WaitGroup
				for _, d := range timertest.DelaysAround(8) {
					deadline := time.Now().Add(max(d, 0))
					c := tm.After(d)
					waiters.Go(func() {
						<-c
						assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick), "After(%v)", d)
					})
				}
				waiters.Wait()
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestAfterOutOfReachIsNever(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		never := tm.After(math.MaxInt64)
		timertest.Pass(365 * 24 * time.Hour)
		assert.Equal(t, never, tm.After(math.MaxInt64-1), "never is a tick like others")
		assert.Equal(t, never, tm.After(20*365*24*time.Hour))
		assert.False(t, timertest.IsClosed(never))
		assert.Equal(t, 1, tm.Pending())
		assert.Zero(t, timertest.LibraryGoroutines(), "nothing to do")
		tm.Stop()
		assert.True(t, timertest.IsClosed(never))
	})
}

func TestAfterIsNotRefusedByABound(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(time.Hour, timertest.Nop)
		c := tm.After(10 * tick)
		other := tm.After(20 * tick)
		assert.False(t, timertest.IsClosed(c))
		assert.Equal(t, 3, tm.Pending())
		timertest.Pass(15 * tick)
		assert.True(t, timertest.IsClosed(c))
		assert.True(t, to.Stop())
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, timertest.Nop).State(), "but it counts")
		timertest.Pass(15 * tick)
		assert.True(t, timertest.IsClosed(other))
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, timertest.Nop).State(), "until it is closed")
		assert.Equal(t, uint64(1), tm.Stats().Rejected)
	}, hashedwheel.WithMaxPending(1))
}

func TestAfterIsSharedByAllCallersOfATick(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 4)
		c := tm.After(10 * tick) // rounds up to tick 11
		assert.Equal(t, c, tm.After(10*tick+tick*3/4), "the last of the tick")
		assert.Equal(t, c, tm.After(9*tick+tick*3/4+1), "the first of the tick")
		assert.NotEqual(t, c, tm.After(10*tick+tick*3/4+1), "of the next")
		assert.NotEqual(t, c, tm.After(9*tick+tick*3/4), "of the one before")
		time.Sleep(tick / 2)
		assert.Equal(t, c, tm.After(10*tick), "later, and still the same tick")
		time.Sleep(5 * tick)
		assert.Equal(t, c, tm.After(5*tick))
		assert.Equal(t, 3, tm.Pending(), "one a tick")
		timertest.Pass(time.Second)
		assert.True(t, timertest.IsClosed(c))
		assert.Zero(t, tm.Pending())
	})
}

// The table that callers look at first has one place for all of these ticks.
func TestAfterKeepsCollidingTicksApart(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		delay := func(i int) time.Duration { return time.Duration(10+64*i) * tick }
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
			timertest.Pass(time.Until(start.Add(delay(i) - 1)))
			assert.Equal(t, 10-i, openAmong(channels), "just before")
			assert.False(t, timertest.IsClosed(c))
			timertest.Pass(1)
			assert.True(t, timertest.IsClosed(c))
			assert.Equal(t, 9-i, openAmong(channels))
		}
		assert.False(t, timertest.IsClosed(tm.After(delay(0))), "the place is used again")
	})
}

// The clock stands still, so all goroutines of a round call After for the same tick.
func TestAfterGivesConcurrentFirstCallersTheSameChannel(t *testing.T) {
	clock, tm := timertest.NewManual()
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

func TestAfterAllocatesNothingForAllButTheFirstCaller(t *testing.T) {
	tm := timertest.NewResting(t)
	bounded := timertest.NewResting(t, hashedwheel.WithMaxPending(1))
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

// On one thread no other goroutine runs until this one blocks: a channel that another goroutine must
// close is still open here.
func TestAfterIsClosedByTheWorkerWithInline(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 100 {
		clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
		c := tm.After(tick)
		clock.Advance(10 * time.Millisecond)
		assert.True(t, timertest.IsClosed(c), "when Advance returns")
		tm.Stop()
	}
}

// With any other executor a separate goroutine closes the channel, so that a crowd does not hold up
// the worker. At least one of a hundred tries shows it.
func TestAfterIsClosedByAGoroutineWithAnyOtherExecutor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, opts := range map[string][]hashedwheel.Option{
		"the default":          nil,
		"a goroutine each":     {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { go f() }))},
		"the worker":           {timertest.OnWorker},
		"a pool that is stuck": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))},
	} {
		t.Run(name, func(t *testing.T) {
			open := 0
			for range 100 {
				clock := hashedwheel.NewManualClock(timertest.Epoch)
				tm := timertest.New(append(opts, hashedwheel.WithClock(clock))...)
				c := tm.After(tick)
				clock.Advance(tick)
				if !timertest.IsClosed(c) {
					open++
				}
				<-c
				timertest.Shutdown(t, tm)
			}
			assert.Positive(t, open, "when Advance returned")
		})
	}
}

// Shutdown waits for the goroutine that closes channels.
func TestAfterIsClosedWhenShutdownReturns(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				clock, tm := timertest.NewManual(opts...)
				c := tm.After(tick)
				clock.Advance(10 * time.Millisecond)
				timertest.Shutdown(t, tm)
				assert.True(t, timertest.IsClosed(c))
			}
		})
	}
}

// Go blocks for five ticks, so that the channel and the timeout after it are handed out together,
// and then for an hour. The channel does not need the user's executor.
func TestAfterIsClosedWhileGoBlocksOnATimeoutOfItsBatch(t *testing.T) {
	blocks := []time.Duration{5 * tick, time.Hour}
	blocking := hashedwheel.ExecutorFunc(func(func()) {
		d := blocks[0]
		blocks = blocks[1:]
		time.Sleep(d)
	})
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(tick, timertest.Nop)
		c := tm.After(2 * tick)
		tm.AfterFunc(3*tick, timertest.Nop)
		timertest.Pass(7 * tick)
		assert.Empty(t, blocks, "the second timeout is with Go")
		assert.True(t, timertest.IsClosed(c))
		timertest.Pass(time.Hour)
	}, hashedwheel.WithExecutor(blocking))
}

func TestAfterIsReleasedByStop(t *testing.T) {
	onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var channels []<-chan struct{}
		arm := func() {
			for _, d := range []time.Duration{0, tick, 10 * tick, 74 * tick, time.Hour, math.MaxInt64} {
				channels = append(channels, tm.After(d))
			}
		}
		arm()
		timertest.Pass(5*tick + tick/2) // into the wheel
		arm()                           // still in the queue
		start := time.Now()
		var waiters sync.WaitGroup
		for _, c := range channels {
			waiters.Go(func() { <-c })
		}
		assert.Empty(t, tm.Stop(), "nobody's timeouts")
		assert.Zero(t, openAmong(channels), "when Stop returns")
		waiters.Wait()
		assert.Zero(t, time.Since(start), "at once")
		assert.Zero(t, tm.Pending())
		assert.Zero(t, timertest.LibraryGoroutines())
	})
}

// A loop around After neither hangs nor spins once its timer is stopped, whatever its clock.
func TestAfterOfAStoppedTimerWaitsInPackageTime(t *testing.T) {
	stopped := map[string]func(opts ...hashedwheel.Option) *hashedwheel.Timer{
		"system": timertest.New,
		"a clock that stands still": func(opts ...hashedwheel.Option) *hashedwheel.Timer {
			_, tm := timertest.NewManual(opts...)
			return tm
		},
	}
	for name, newTimer := range stopped {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := newTimer(hashedwheel.WithMaxPending(1))
				tm.Stop()
				never := tm.After(math.MaxInt64)
				for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, tick, 10*tick + 1, time.Hour} {
					start := time.Now()
					<-tm.After(d)
					assert.Equal(t, max(0, d), time.Since(start))
				}
				assert.False(t, timertest.IsClosed(never))
				assert.Zero(t, timertest.LibraryGoroutines(), "nothing waits but package time")
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestAfterIsReleasedByStopFromATask(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		sibling, later := tm.After(tick), tm.After(time.Hour)
		stopped := false
		tm.AfterFunc(tick, func() {
			tm.Stop()
			assert.True(t, timertest.IsClosed(later))
			<-sibling        // due in the same tick: closed by Stop, or by another goroutine
			<-tm.After(tick) // in package time
			stopped = true
		})
		timertest.Pass(5 * tick)
		assert.True(t, stopped)
	}, timertest.OnWorker)
}

// A race is of goroutines that call After and of two that call Stop.
type race struct {
	tick    time.Duration
	callers int
	delay   func(caller, i int) time.Duration
	waits   bool // each caller waits for its channel before it calls After again
	isDue   bool // channels are also closed by their ticks
}

var races = map[string]race{
	"for the channel of one tick":  {tick: time.Hour, callers: 4, delay: hours(0, 0)},
	"for a channel of each tick":   {tick: time.Hour, callers: 1, delay: hours(0, 1)},
	"by callers that wait":         {tick: time.Hour, callers: 4, delay: hours(100, 1), waits: true},
	"by hundreds that wait":        {tick: time.Hour, callers: 500, delay: hours(1, 1), waits: true},
	"for channels that become due": {tick: 100 * time.Microsecond, callers: 5, delay: soon, isDue: true},
}

func hours(ofCaller, ofCall int) func(caller, i int) time.Duration {
	return func(caller, i int) time.Duration { return time.Duration(1+ofCaller*caller+ofCall*i) * time.Hour }
}

// soon is a tick or none for one caller. The others ask for ticks that are far apart, which takes the lock.
func soon(caller, i int) time.Duration {
	if caller == 0 {
		return time.Duration(i%2) * 100 * time.Microsecond
	}
	return time.Duration(1+i%1000) * time.Hour
}

// Every channel that a caller got is closed, except those that the timer refused, which package time closes, and no
// goroutine that Stop releases finds the timer still running.
func TestStopRacesWithAfter(t *testing.T) {
	for name, r := range races {
		t.Run(name, func(t *testing.T) {
			for begun := time.Now(); time.Since(begun) < timertest.Lasting(time.Second) && !t.Failed(); {
				r.run(t)
			}
		})
	}
}

func (r race) run(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(r.tick), hashedwheel.WithWheelSize(1))
	got := make([][]<-chan struct{}, r.callers)
	over := make(chan struct{})
	var ready, calling, stopping sync.WaitGroup
	for c := range got {
		ready.Add(1)
		calling.Go(func() {
			ready.Done()
			got[c] = r.call(t, tm, c, over)
		})
	}
	ready.Wait()
	if r.isDue {
		time.Sleep(5 * r.tick)
	}
	for range 2 {
		stopping.Go(func() { tm.Stop() })
	}
	stopping.Wait()
	close(over)
	timertest.Returns(t, calling.Wait)
	refused := int(tm.Stats().Rejected) // each an hour away, or more
	if r.isDue {                        // except the first caller's
		timertest.Returns(t, func() {
			for _, c := range got[0] {
				<-c
			}
		})
		assert.LessOrEqual(t, openAmong(slices.Concat(got...)), refused)
		return
	}
	assert.Equal(t, refused, openAmong(slices.Concat(got...)))
}

// call calls After until the timer is stopped, and returns the channels.
func (r race) call(t *testing.T, tm *hashedwheel.Timer, caller int, over chan struct{}) (got []<-chan struct{}) {
	for i := 0; !timertest.IsClosed(over); i++ {
		c := tm.After(r.delay(caller, i))
		if len(got) == 0 || got[len(got)-1] != c {
			got = append(got, c)
		}
		if r.waits {
			select {
			case <-c:
			case <-over:
			}
		}
		if timertest.IsClosed(c) && !r.isDue {
			assert.True(t, tm.Stats().Stopped, "released before that")
			break
		}
		runtime.Gosched()
	}
	return got
}

// A server that ran for a day: millions of calls, and a new channel each tick.
func TestAfterLeavesNothingBehind(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
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
	ticks := 20_000
	if testing.Short() {
		ticks = 4000
	}
	first, _ := run(2000)
	last, allocs := run(ticks)
	assert.Less(t, float64(last), float64(first)+64<<10, "bytes in use after 200 calls more in each of %d ticks", ticks)
	assert.Less(t, float64(allocs)/float64(200*ticks), 0.25, "allocations a call")
	assert.Zero(t, tm.Pending())
}
