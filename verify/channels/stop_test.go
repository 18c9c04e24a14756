package channels_test

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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
		waiters.Wait()
		assert.Zero(t, time.Since(start), "at once")
		assert.Zero(t, tm.Pending())
		channels = nil
		arm()
		assert.Zero(t, openAmong(channels), "later calls")
		timertest.Pass(time.Hour)
	})
}

func TestAfterIsReleasedByStopOfATimerNeverUsed(t *testing.T) {
	tm := timertest.New()
	tm.Stop()
	for _, d := range timertest.DelaysAround(8) {
		assert.True(t, isClosed(tm.After(d)), "After(%v)", d)
	}
}

func TestAfterIsReleasedByShutdown(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		c := tm.After(time.Hour)
		tm.AfterFunc(0, func() { <-c }) // Shutdown waits for this task
		timertest.Pass(tick)
		_, err := tm.Shutdown(t.Context())
		require.NoError(t, err)
		assert.True(t, isClosed(c))
	})
}

func TestAfterIsReleasedByStopFromATask(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		sibling, later := tm.After(tick), tm.After(time.Hour)
		stopped := false
		tm.AfterFunc(tick, func() {
			tm.Stop()
			assert.True(t, isClosed(later))
			<-sibling // due in the same tick: closed by Stop, or by another goroutine
			assert.True(t, isClosed(tm.After(tick)))
			stopped = true
		})
		timertest.Pass(5 * tick)
		assert.True(t, stopped)
	}, timertest.OnWorker)
}

// Goroutines that call After while the timer is being stopped are all released.
func TestAfterReleasesCallersDuringStop(t *testing.T) {
	for range 300 {
		tm := timertest.NewOn(nil)
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
		timertest.Returns(t, waiters.Wait)
		require.Zero(t, tm.Pending())
	}
}

// Every goroutine that Stop releases finds the timer stopped, although hundreds are released before
// Stop has collected all pending timeouts.
func TestAfterIsReleasedOnceStopIsInEffect(t *testing.T) {
	for range 20 {
		tm := timertest.NewOn(nil)
		var accepted atomic.Int64
		var waiters sync.WaitGroup
		for i := range time.Duration(500) {
			c := tm.After((1 + i) * time.Hour)
			waiters.Go(func() {
				<-c
				if _, err := tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})); err == nil {
					accepted.Add(1)
				}
			})
		}
		tm.Stop()
		timertest.Returns(t, waiters.Wait)
		require.Zero(t, accepted.Load())
	}
}

// The goroutine that closes the channel of a due tick may race with Stop and with a later call of After for the tick.
func TestChannelOfADueTickIsClosedBesideStop(t *testing.T) {
	const shortest = 100 * time.Microsecond
	for start := time.Now(); time.Since(start) < timertest.Lasting(2*time.Second); {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(shortest))
		var others sync.WaitGroup
		var over atomic.Bool
		for range 4 {
			others.Go(func() {
				for i := time.Duration(1); !over.Load(); i++ {
					tm.After(i % 1000 * time.Hour) // none of the last few: takes the lock
				}
			})
		}
		var got []<-chan struct{}
		for until := time.Now().Add(5 * shortest); time.Now().Before(until); {
			got = append(got, tm.After(0), tm.After(shortest))
		}
		tm.Stop()
		timertest.Returns(t, func() {
			for _, c := range got {
				<-c
			}
		})
		over.Store(true)
		others.Wait()
	}
}

// From the moment Stop returns no channel is open, even if the call of After that made it is still
// under way.
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

// Callers share the channel of one tick, and keep calling After while two goroutines call Stop. When
// both have returned, every channel that a caller got is closed.
func TestStopClosesEveryChannelOfConcurrentCallers(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	for range rounds {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Hour))
		got := make([][]<-chan struct{}, 4)
		var asking, stopping sync.WaitGroup
		for i := range got {
			asking.Go(func() { got[i] = askUntilClosed(tm) })
		}
		for range 2 {
			stopping.Go(func() {
				tm.Stop()
				assert.True(t, isClosed(tm.After(time.Minute)), "open although Stop has returned")
			})
		}
		stopping.Wait()
		asking.Wait()
		for _, c := range slices.Concat(got...) {
			require.True(t, isClosed(c), "nobody closes it")
		}
	}
}

// askUntilClosed calls After for a tick until the channel is closed, and returns all its channels.
func askUntilClosed(tm *hashedwheel.Timer) (got []<-chan struct{}) {
	for {
		c := tm.After(time.Minute)
		if len(got) == 0 || got[len(got)-1] != c {
			got = append(got, c)
		}
		if isClosed(c) {
			return got
		}
		runtime.Gosched()
	}
}
