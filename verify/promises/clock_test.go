package promises

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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

func TestAtMostOneTickLateWhenTheClockJumpsForward(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		start, jump := clock.Now(), 20*24*time.Hour
		passedOver, beyond := note(tm, clock, time.Hour), note(tm, clock, jump+time.Hour)
		timertest.Pass(10 * timertest.Tick)
		clock.Step(jump)
		landed := clock.Now()
		synctest.Wait()
		assert.Equal(t, landed, *passedOver, "what was passed over runs at once")
		fresh := note(tm, clock, 5*timertest.Tick)
		timertest.Pass(10 * timertest.Tick)
		assert.WithinRange(t, *fresh, landed.Add(5*timertest.Tick), landed.Add(6*timertest.Tick))
		timertest.Pass(2 * time.Hour)
		assert.WithinRange(t, *beyond, start.Add(jump+time.Hour), start.Add(jump+time.Hour+timertest.Tick))
	})
}

// The worker is kept busy all the while: it never sleeps through a jump.
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
