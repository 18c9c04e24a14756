package promises

import (
	"fmt"
	"math"
	"sync"
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
