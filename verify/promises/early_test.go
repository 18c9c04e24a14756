package promises

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// wheels are of few and many buckets, also if the size is no power of two, at the shortest tick and at long ones.
var wheels = []struct {
	size int
	tick time.Duration
}{
	{1, timertest.Tick}, {2, timertest.Tick}, {3, timertest.Tick},
	{8, timertest.Tick}, {65, timertest.Tick}, {512, timertest.Tick},
	{512, 100 * time.Microsecond}, {512, 3 * time.Millisecond}, {512, time.Second}, {512, 24 * time.Hour},
}

// Every delay of DelaysAround, in each wheel.
func TestNeverEarlyNorMoreThanATickLateAtAnyDelay(t *testing.T) {
	for _, w := range wheels {
		for _, armedAt := range []time.Duration{0, 1, w.tick / 3, w.tick - 1} {
			t.Run(fmt.Sprintf("%d buckets, armed %v into a tick of %v", w.size, armedAt, w.tick), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					time.Sleep(5*w.tick + armedAt)
					delays := timertest.DelaysAround(w.size)
					for i, late := range timertest.Lateness(tm, delays) {
						assert.GreaterOrEqual(t, late, time.Duration(0), "a delay of %v", delays[i])
						assert.LessOrEqual(t, late, w.tick, "a delay of %v", delays[i])
					}
				}, hashedwheel.WithWheelSize(w.size), hashedwheel.WithTick(w.tick))
			})
		}
	}
}

func TestNeverEarlyIfTheDelayIsBeyondTheClock(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, d := range []time.Duration{19 * year, 200 * year, math.MaxInt64 - 1, math.MaxInt64} {
		t.Run(d.String(), func(t *testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := timertest.New(hashedwheel.WithClock(clock), timertest.OnWorker)
			clock.Advance(timertest.Tick / 2)
			never, stopped := &timertest.RunLog{}, &timertest.RunLog{}
			to, other := timertest.Owned(tm, never), timertest.Owned(tm, stopped)
			to.Reset(d)
			other.Reset(d)
			assert.True(t, other.Stop(), "it stays cancelable")
			clock.Advance(100 * year)
			clock.Advance(100 * year)
			assert.Zero(t, never.Count()+stopped.Count(), "never means never")
			assert.Equal(t, hashedwheel.Pending, to.State())
			assert.Equal(t, 1, tm.Pending())
			assert.True(t, to.Stop(), "it stays cancelable when the clock has come to its end")
			clock.Advance(timertest.Tick)
			assert.Zero(t, tm.Pending())
		})
	}
}

func TestNeverEarlyIfTheTimeIsBeyondTheClock(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to := timertest.Owned(tm, &log)
		to.ResetAt(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
		timertest.Pass(100 * 365 * 24 * time.Hour)
		assert.Zero(t, log.Count())
		assert.True(t, to.Stop())
	})
}

// A deadline of zero nanoseconds since New is one like any other.
func TestNeverEarlyWhenArmedForTheTimersFirstInstant(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to, born := timertest.Owned(tm, &log), time.Now()
		assert.False(t, to.ResetAt(born))
		assert.Equal(t, hashedwheel.Pending, to.State())
		assert.True(t, to.Deadline().Equal(born))
		assert.True(t, to.ResetAt(born), "it is pending")
		timertest.Pass(timertest.Tick)
		assert.Equal(t, hashedwheel.Expired, to.State())
	})
}

func TestNeverEarlyWhileTheWorkerIsStalled(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const stall = 700 * timertest.Tick
		tm.AfterFunc(timertest.Tick, func() { time.Sleep(stall) })
		var delays []time.Duration
		for d := timertest.Tick / 3; d < 2*stall; d += 7 * timertest.Tick {
			delays = append(delays, d) // some are due during the stall, some after it
		}
		var arming sync.WaitGroup
		for range 6 {
			time.Sleep(stall/7 + timertest.Tick/5)
			arming.Go(func() {
				for i, late := range timertest.Lateness(tm, delays) {
					assert.GreaterOrEqual(t, late, time.Duration(0), "a delay of %v", delays[i])
				}
			})
		}
		arming.Wait()
	}, timertest.OnWorker)
}

func TestNeverEarlyWhenMovedLater(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to, d := timertest.Owned(tm, &log), 10*timertest.Tick+timertest.Tick/3
		to.Reset(d)
		var last time.Time
		for range 100 {
			time.Sleep(7 * timertest.Tick)
			last = time.Now()
			require.True(t, to.Reset(d), "it is pending")
		}
		timertest.Pass(time.Hour)
		require.Len(t, log.Times(), 1)
		assert.False(t, log.Times()[0].Before(last.Add(d)))
	}, hashedwheel.WithWheelSize(8))
}

// One goroutine moves the timeout at the very instants at which it is due. While Reset returns
// true, the timeout must not run for the old deadline.
func TestNeverEarlyWhenResetRacesWithExpiry(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to := timertest.Owned(tm, &log)
		var lastOf []time.Time // the last Reset of each arming
		for range 3000 {
			if !to.Reset(timertest.Tick) {
				lastOf = append(lastOf, time.Time{})
			}
			lastOf[len(lastOf)-1] = time.Now()
			time.Sleep(timertest.Tick)
		}
		timertest.Pass(3 * timertest.Tick)
		require.Len(t, log.Times(), len(lastOf), "one run an arming")
		for i, at := range log.Times() {
			require.GreaterOrEqual(t, at.Sub(lastOf[i]), timertest.Tick)
		}
	}, timertest.OnWorker)
}

// On the machine's clock, whatever its load: the one test of its kind that is
// on real time.
func TestNeverEarlyOnTheSystemClock(t *testing.T) {
	tm := timertest.New()
	defer tm.Stop()
	var arming sync.WaitGroup
	for range 4 {
		arming.Go(func() {
			var delays []time.Duration
			for range 500 {
				delays = append(delays, rand.N(50*time.Millisecond))
			}
			for i, late := range timertest.Lateness(tm, delays) {
				assert.GreaterOrEqual(t, late, time.Duration(0), "a delay of %v", delays[i])
			}
		})
	}
	arming.Wait()
}

// note arms a timeout and returns where the clock's time of its run will be.
func note(tm *hashedwheel.Timer, clock hashedwheel.Clock, d time.Duration) *time.Time {
	at := new(time.Time)
	tm.AfterFunc(d, func() { *at = clock.Now() })
	return at
}

func TestNeverEarlyWhenTheClockJumpsForward(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		start := clock.Now()
		var ran []*time.Time
		for _, d := range timertest.ManyDelays {
			ran = append(ran, note(tm, clock, d))
		}
		timertest.Pass(timertest.Tick / 2)
		clock.Step(time.Minute - timertest.Tick)
		timertest.Pass(48 * time.Hour)
		for i, d := range timertest.ManyDelays {
			assert.GreaterOrEqual(t, ran[i].Sub(start), d)
		}
	})
}

// The worker is kept busy all the while: no jump passes over a quiet time.
func TestNeverEarlyWhileTheClockJumpsAgainAndAgain(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		var ran atomic.Int64
		for i := range 400 {
			d := time.Duration(i%50) * timertest.Tick / 3
			deadline := clock.Now().Add(d)
			tm.AfterFunc(d, func() {
				assert.False(t, clock.Now().Before(deadline))
				ran.Add(1)
			})
			timertest.Pass(timertest.Tick / 4)
			if i%10 == 3 {
				clock.Step(time.Duration(i) * timertest.Tick / 7)
			}
		}
		timertest.Pass(time.Minute)
		assert.Equal(t, int64(400), ran.Load())
		assert.Zero(t, tm.Pending())
	})
}
