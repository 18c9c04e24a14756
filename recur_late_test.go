package hashedwheel_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// lateClock rings a little late, as every system's clock does.
type lateClock struct{ by time.Duration }

func (c lateClock) Now() time.Time                         { return time.Now() }
func (c lateClock) After(d time.Duration) <-chan time.Time { return time.After(d + c.by) }

// A point of the grid that is past when the run before it begins is not missed
// if its tick is still to come.
func TestEveryMissesNothingOnAClockThatRingsALittleLate(t *testing.T) {
	const late, n = oneTick / 20, 1000
	for _, period := range []time.Duration{oneTick - 1, oneTick, oneTick + 1, 2 * oneTick, 7*oneTick/2 + 1} {
		t.Run(period.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(time.Microsecond) // the grid is a little behind the ticks
				var log runLog
				tm.Every(period, func() { log.Run(nil) })
				pass(n*period + oneTick)
				assert.GreaterOrEqual(t, log.count(), int(n*period/max(period, oneTick))-1)
			}, hashedwheel.WithClock(lateClock{late}))
		})
	}
}

func TestEveryMissesNothingWhileEachRunEndsBeforeTheNextTick(t *testing.T) {
	const n = 1000
	for _, takes := range []time.Duration{oneTick / 10, oneTick / 2, 9 * oneTick / 10} {
		t.Run(takes.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(oneTick / 20)
				var log runLog
				series := tm.Every(oneTick, func() {
					log.Run(nil)
					time.Sleep(takes)
				})
				pass(n * oneTick)
				series.Stop()
				pass(oneTick)
				assert.GreaterOrEqual(t, log.count(), n-2)
			})
		})
	}
}

func TestEveryGoesOnThroughTheZeroTime(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Time{}.Add(-5 * time.Second))
	tm := newTickingTimer(hashedwheel.WithClock(clock), onWorker)
	defer tm.Stop()
	runs := 0
	to := tm.Every(time.Second, func() { runs++ })
	require.Equal(t, hashedwheel.Pending, to.State())
	clock.Advance(10 * time.Second)
	assert.Equal(t, 10, runs)
}

func TestEveryKeepsToItsGridBeforeItsStart(t *testing.T) {
	onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
		log, start := new(runLog), clock.Now()
		series := tm.Every(aPeriod, log.noteBy(clock))
		clock.step(-100*aPeriod - aPeriod/2)
		series.Reset(0)
		pass(4 * aPeriod)
		require.Equal(t, 5, log.count(), "that of Reset, then those of the grid")
		assertOnGrid(t, start, aPeriod, oneTick, log.times()[1:], -100, -99, -98, -97)
	})
}

func TestRecurRunsOnceForAResetThatComesDueWhileItsSchedulerIsAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := new(slowScheduler)
		var log runLog
		s.to.Store(tm.Recur(s, func() { log.Run(nil) }))
		pass(time.Hour + 10*oneTick)
		require.GreaterOrEqual(t, s.asked, 2)
		assert.Equal(t, 1, log.count())
		assert.Equal(t, hashedwheel.Pending, s.to.Load().State())
	})
}

// slowScheduler gives each hour from now. When it is asked for the second time it
// resets the series, and takes so long that this comes due.
type slowScheduler struct {
	asked int
	to    atomic.Pointer[hashedwheel.Timeout]
}

func (s *slowScheduler) Next(now time.Time) time.Time {
	if s.asked++; s.asked == 2 {
		s.to.Load().Reset(0)
		time.Sleep(3 * oneTick)
	}
	return now.Add(time.Hour)
}
