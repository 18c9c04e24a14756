package series_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// notedBy is a series whose runs are noted by another clock than the bubble's.
func notedBy(log *timertest.RunLog, clock hashedwheel.Clock) func(*hashedwheel.Series) {
	note := log.NoteBy(clock)
	return func(*hashedwheel.Series) { note() }
}

func TestEveryRunsOnceWhenTheClockJumpsForward(t *testing.T) {
	for _, jump := range []time.Duration{aPeriod, 100*aPeriod + aPeriod/2, 100 * 24 * time.Hour} {
		t.Run("by "+jump.String(), func(t *testing.T) {
			timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
				log, start := new(timertest.RunLog), clock.Now()
				s := tm.Every(aPeriod, notedBy(log, clock))
				timertest.Pass(aPeriod + aPeriod/2)
				clock.Step(jump)
				landed := clock.Now()
				synctest.Wait()
				require.Equal(t, 2, log.Count(), "one run for all that were jumped over")
				assert.Equal(t, landed, log.Times()[1])
				timertest.Pass(2 * aPeriod)
				k := int(landed.Sub(start) / aPeriod)
				timertest.AssertOnGrid(t, start, aPeriod, tick, log.Times()[2:], k+1, k+2)
				s.Stop()
			})
		})
	}
}

// A clock that fails is no reason to call f. The series ends, and can begin again.
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

// failingClock panics on demand.
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

// The run at 4 ticks reads the clock, then loses its processor until 9.5: Reset has begun another
// grid by then, and the run at 9 is due, which the one at 2 covers. The time read before the Reset
// decides nothing.
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
