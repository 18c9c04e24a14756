package series_test

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

// lateClock rings a little late, as every system's clock does.
type lateClock struct{ by time.Duration }

func (c lateClock) Now() time.Time { return time.Now() }

func (c lateClock) After(d time.Duration) <-chan time.Time { return time.After(d + c.by) }

// A point of the grid that has passed when the run before it begins is not missed if its tick is still to come.
func TestEveryMissesNothingOnAClockThatFiresALittleLate(t *testing.T) {
	const late, n = tick / 20, 1000
	for _, period := range []time.Duration{tick - 1, tick, tick + 1, 2 * tick, 7*tick/2 + 1} {
		t.Run(period.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(time.Microsecond) // the grid is a little behind the ticks
				log := new(timertest.RunLog)
				tm.Every(period, noted(log))
				timertest.Pass(n*period + tick)
				assert.GreaterOrEqual(t, log.Count(), int(n*period/max(period, tick))-1)
			}, hashedwheel.WithClock(lateClock{late}))
		})
	}
}

func TestEveryContinuesThroughTheZeroTime(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Time{}.Add(-5 * time.Second))
	tm := timertest.NewManualOn(clock)
	defer tm.StopAll()
	runs := 0
	s := tm.Every(time.Second, func(*hashedwheel.Series) { runs++ })
	require.False(t, ended(s))
	clock.Advance(10 * time.Second)
	assert.Equal(t, 10, runs)
}

// These are times that no clock reaches.
func TestSeriesOutOfReachNeverRunsAndIsPending(t *testing.T) {
	year9999, last := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64/2, 0)
	const year = 365 * 24 * time.Hour
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 3)
		moved := tm.Every(time.Hour, nop)
		moved.Reset(math.MaxInt64)
		all := map[string]*hashedwheel.Series{
			"EveryFrom the year 9999":      tm.EveryFrom(year9999, time.Hour, nop),
			"EveryFrom the end of time":    tm.EveryFrom(last, time.Hour, nop),
			"Recur in the year 9999":       tm.Recur(&agenda{year9999}, nop),
			"Recur at the end of time":     tm.Recur(&agenda{last}, nop),
			"Every 20 years":               tm.Every(20*year, nop),
			"Every longest period but one": tm.Every(math.MaxInt64-1, nop),
			"Every longest period":         tm.Every(math.MaxInt64, nop),
			"Every, and Reset to never":    moved,
		}
		timertest.Pass(year)
		assert.Equal(t, len(all), tm.Pending())
		assert.Zero(t, tm.Stats().Expired)
		for name, s := range all {
			assert.True(t, s.Stop(), name)
		}
	})
}

// If the clock fails, f is not called. The series ends, and can begin again.
func TestSeriesEndsWhenTheClockFailsInItsRun(t *testing.T) {
	for way, fail := range failures {
		t.Run(way, func(t *testing.T) {
			pool, clock := new(timertest.HeldBack), &failingClock{Clock: new(timertest.SteppingClock)}
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log := new(timertest.RunLog)
				s := tm.Every(aPeriod, noted(log))
				timertest.Pass(aPeriod + tick)
				clock.fail = fail
				released := make(chan struct{})
				go func() {
					defer close(released) // deferred: the clock ends the goroutine
					pool.Release()
				}()
				<-released
				clock.fail = nil
				assert.Zero(t, log.Count())
				assert.True(t, ended(s))
				assert.False(t, s.Reset(aPeriod))
				timertest.Pass(aPeriod + tick)
				pool.Release()
				assert.Equal(t, 1, log.Count(), "it began again")
			}, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool), swallow)
		})
	}
}

// failingClock calls fail, which panics or ends the goroutine.
type failingClock struct {
	hashedwheel.Clock
	fail func()
}

func (c *failingClock) Now() time.Time {
	if c.fail != nil {
		c.fail()
	}
	return c.Clock.Now()
}

// The run at 4 ticks reads the clock, then loses its processor until 9.5: Reset has begun another grid by then, and the
// run at 9 is due, which the run at 2 covers. The time read before the Reset has no effect.
func TestEveryLeavesOutARunAlthoughAnotherReadTheClockBeforeReset(t *testing.T) {
	pool, clock := new(timertest.HeldBack), new(timertest.InterruptedClock)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, covering := new(timertest.RunLog), make(chan struct{})
		start := time.Now()
		s := tm.Every(2*tick, func(*hashedwheel.Series) {
			if log.Note(); log.Count() == 1 {
				<-covering
			}
		})
		timertest.Pass(2 * tick)
		go pool.Release()
		timertest.Pass(2 * tick)
		resume := make(chan struct{})
		hold := func() { <-resume }
		clock.Then.Store(&hold)
		go pool.Release()
		timertest.Pass(tick)
		assert.True(t, s.Reset(4*tick))
		timertest.Pass(4*tick + tick/2)
		close(covering)
		synctest.Wait()
		close(resume)
		for range 60 {
			synctest.Wait()
			pool.Release()
			timertest.Pass(tick / 10)
		}
		timertest.AssertOnGrid(t, start, tick, tick/2, log.Times(), 2, 13)
	}, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool))
}

// The executor got the run before Reset made it obsolete, and begins it while the run that Reset armed expires: exactly
// one of the two calls f.
func TestEveryRunsOnceIfItExpiresWhileAnObsoleteRunBegins(t *testing.T) {
	pool := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(pool))
	defer tm.StopAll()
	var ran atomic.Int64
	s := tm.Every(time.Hour, func(*hashedwheel.Series) { ran.Add(1) })
	for i := range 2_000 {
		clock.Advance(time.Hour + 10*time.Millisecond)
		s.Reset(time.Hour) // the run that the executor has is obsolete
		ran.Store(0)
		var void sync.WaitGroup
		void.Go(func() {
			for range i % 100 { // so that they overlap at every point
				_ = ran.Load()
			}
			pool.Release()
		})
		clock.Advance(time.Hour + 10*time.Millisecond)
		void.Wait()
		pool.Release()
		require.EqualValues(t, 1, ran.Load())
		require.False(t, ended(s))
	}
}

// Only its user would notice that a series has ended, so a full timer refuses other armings instead: the series counts.
func TestSeriesIsNotRefusedByAFullTimer(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		isFull := func() bool {
			to, err := tm.Schedule(time.Hour, timertest.NopTask)
			if to != nil {
				to.Stop()
			}
			return err == hashedwheel.ErrFull
		}
		other, log := tm.AfterFunc(time.Hour, timertest.Nop), new(timertest.RunLog)
		every := tm.Every(aPeriod, noted(log))
		recur := tm.Recur(&agenda{time.Now().Add(aPeriod), time.Now().Add(3 * aPeriod)}, noted(log))
		all := []*hashedwheel.Series{every, recur}
		for _, s := range all {
			assert.NoError(t, s.Err())
			assert.True(t, s.Stop())
			assert.False(t, s.Reset(aPeriod), "it had ended")
			assert.NoError(t, s.Err())
		}
		timertest.Pass(2*aPeriod + tick)
		assert.Equal(t, 3, log.Count(), "two and one")
		assert.Equal(t, 3, tm.Pending())
		other.Stop()
		for _, s := range all {
			assert.True(t, isFull(), "each counts")
			assert.True(t, s.Stop())
		}
		assert.False(t, isFull())
	}, hashedwheel.WithMaxPending(1))
}
