package channels_test

import (
	"math"
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
		assert.True(t, isClosed(c))
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
			assert.False(t, isClosed(c))
			timertest.Pass(1)
			assert.True(t, isClosed(c))
			assert.Equal(t, 9-i, openAmong(channels))
		}
		assert.False(t, isClosed(tm.After(delay(0))), "the place is used again")
	})
}

func TestAfterReleasesThousands(t *testing.T) {
	onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var released atomic.Int64
		var waiters sync.WaitGroup
		for i := range 5000 {
			d := time.Duration(i%10+1) * tick * 10
			waiters.Go(func() {
				<-tm.After(d)
				assert.GreaterOrEqual(t, time.Since(start), d)
				released.Add(1)
			})
		}
		synctest.Wait()
		assert.Equal(t, 10, tm.Pending(), "one a tick")
		for i := range 10 {
			timertest.Pass(10 * tick)
			assert.Equal(t, int64(500*(i+1)), released.Load())
		}
		waiters.Wait()
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
