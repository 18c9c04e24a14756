package wheeltime_test

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// dropping loses every task.
var dropping = hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))

func TestSleepAndAfterEndOnTime(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for _, d := range []time.Duration{1, tick, 10*tick + 1, time.Hour} {
			start := time.Now()
			wheeltime.Sleep(tm, d)
			assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			start = time.Now()
			at := <-wheeltime.After(tm, d)
			assert.WithinRange(t, at, start.Add(d), start.Add(d+tick))
		}
		synctest.Wait()
		assert.Zero(t, tm.Pending(), "nothing is left on the wheel")
	})
}

func TestSleepAndAfterOfZeroAndLessEndAtOnce(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		wheeltime.Sleep(tm, d)
		assert.Equal(t, clock.Now(), <-wheeltime.After(tm, d))
	}
	assert.Zero(t, tm.Pending())
}

func TestSleepAndAfterRefusedEndInPackageTime(t *testing.T) {
	inTimeInstead(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		at := <-wheeltime.After(tm, 10*tick)
		assert.WithinRange(t, at, start.Add(10*tick), start.Add(11*tick))
		start = time.Now()
		wheeltime.Sleep(tm, 10*tick)
		assert.WithinRange(t, time.Now(), start.Add(10*tick), start.Add(11*tick))
	})
}

func TestSleepAndAfterEndOnTimeThoughTheWheelIsStopped(t *testing.T) {
	const n = 1000 // several portions
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var waits sync.WaitGroup
		for i := range time.Duration(n) {
			d := (i + 20) * tick
			c := wheeltime.After(tm, d)
			waits.Go(func() {
				assert.WithinRange(t, <-c, start.Add(d), start.Add(d+tick))
				assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			})
			waits.Go(func() {
				wheeltime.Sleep(tm, d)
				assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			})
		}
		timertest.Pass(10*tick + 1)
		assert.Len(t, tm.Stop(), n, "the Timeouts of After")
		waits.Wait()
	})
}

// The wheel is stopped before After's goroutine has begun to watch it.
func TestAfterEndsThoughTheWheelIsStoppedAtOnce(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		c := wheeltime.After(tm, 10*tick)
		tm.Stop()
		assert.WithinRange(t, <-c, start.Add(10*tick), start.Add(11*tick))
	})
}

// Many goroutines call After while another stops the wheel.
func TestAfterDuringTheStopOfItsWheelIsNotLost(t *testing.T) {
	for range 30 {
		tm := timertest.New()
		var waits sync.WaitGroup
		for range 8 {
			waits.Go(func() {
				for range 30 {
					<-wheeltime.After(tm, 50*time.Microsecond)
				}
				for range 100 {
					waits.Go(func() { <-wheeltime.After(tm, tick) })
				}
			})
		}
		time.Sleep(3 * tick)
		tm.Stop()
		waits.Wait()
	}
}

func TestAfterEndsThoughTheExecutorLosesItsTask(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		first, last := wheeltime.After(tm, 10*tick), wheeltime.After(tm, 20*tick)
		wheeltime.Sleep(tm, 5*tick)
		<-first
		<-last
		assert.WithinRange(t, time.Now(), start.Add(20*tick), start.Add(21*tick))
	}, dropping)
}

// The goroutine that watches the wheel has ended the wait before the Executor runs its task.
func TestAfterSendsOnceThoughTheTaskRunsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executor := new(timertest.HeldBack)
		tm := timertest.NewOn(executor)
		defer tm.Stop()
		c := wheeltime.After(tm, 10*tick)
		timertest.Pass(12 * tick)
		executor.Release() // does not block
		assert.Len(t, c, 1)
	})
}

func TestAfterOnAFullWheelDoesNotWaitForALaterAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, _ := full()
		defer tm.Stop()
		start := time.Now()
		c := wheeltime.After(tm, 10*tick)
		wheeltime.After(tm, time.Hour)
		assert.WithinRange(t, <-c, start.Add(10*tick), start.Add(11*tick))
		time.Sleep(2 * time.Hour)
	})
}

// The goroutine that watches the wheel waits for the latest After, even if it was called last.
func TestAfterOfMixedDelays(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var waits sync.WaitGroup
		for i := range time.Duration(300) {
			d := (i*7919%300 + 1) * 5 * tick
			start, c := time.Now(), wheeltime.After(tm, d)
			waits.Go(func() { assert.WithinRange(t, <-c, start.Add(d), start.Add(d+tick)) })
			time.Sleep(tick / 3)
		}
		waits.Wait()
	})
}

func TestSleepMisusePanics(t *testing.T) {
	require.PanicsWithValue(t, "wheeltime: Sleep with a nil Timer", func() { wheeltime.Sleep(nil, 1) })
	require.PanicsWithValue(t, "wheeltime: After with a nil Timer", func() { wheeltime.After(nil, 1) })
}
