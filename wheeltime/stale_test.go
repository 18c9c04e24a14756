package wheeltime_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// Real time: many goroutines aim Stop and Reset at the moment of the expiry, so that some calls are made before the
// run, some while the run holds the lock and some after it. Halfway through, the wheel is stopped, and everything
// continues in the time package.

const shortest = 100 * time.Microsecond

func aimed(t *testing.T, shot func(tm *hashedwheel.Timer, r *rand.Rand)) {
	t.Helper()
	const wheels, life = 20, 10 * time.Millisecond
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			for wheel := range uint64(wheels) {
				tm := timertest.New(append(opts, hashedwheel.WithTick(shortest))...)
				var all sync.WaitGroup
				for seed := range uint64(16) {
					all.Go(func() {
						r := rand.New(rand.NewPCG(seed, wheel))
						for begun := time.Now(); time.Since(begun) < life; {
							shot(tm, r)
						}
					})
				}
				time.Sleep(life / 2)
				assert.Empty(t, tm.StopAll(), "no timeout is the user's")
				timertest.Returns(t, all.Wait)
			}
		})
	}
}

// around returns at a random moment about d from now, without a timer.
func around(d time.Duration, r *rand.Rand) {
	for at := time.Now().Add(d + time.Duration(r.IntN(int(2*shortest)))); time.Now().Before(at); {
		runtime.Gosched()
	}
}

func TestNoStaleValueOfATimerAfterStopOrReset(t *testing.T) {
	aimed(t, func(tm *hashedwheel.Timer, r *rand.Rand) {
		timer, ticker := wheeltime.NewTimer(tm, shortest), wheeltime.NewTicker(tm, shortest)
		for range 20 {
			around(shortest/2, r)
			if r.IntN(2) == 0 {
				assert.True(t, timer.Stop(), "nothing was received")
				ticker.Stop()
			} else {
				assert.True(t, timer.Reset(time.Hour), "nothing was received")
				ticker.Reset(time.Hour)
			}
			around(0, r)
			assertNone(t, timer.C, "stale")
			assertNone(t, ticker.C, "stale")
			start := time.Now()
			timer.Reset(shortest)
			ticker.Reset(shortest)
			if r.IntN(4) == 0 {
				<-wheeltime.After(tm, shortest)
				wheeltime.Sleep(tm, shortest)
				at := <-timer.C // a hang if the arming was lost
				assert.False(t, at.Before(start.Add(shortest)), "its value is before its deadline")
				assert.False(t, timer.Reset(shortest), "the value was received")
				at = <-ticker.C // a hang if StopAll has ended it
				assert.False(t, at.Before(start.Add(shortest)), "a tick before it was due")
			}
		}
		timer.Stop()
		ticker.Stop()
	})
}

// f runs exactly as often as its Timer was armed and no Stop or Reset returned true, even if StopAll runs in between: a
// Timer whose f then never starts returns true.
func TestFunctionBeginsUnlessStopOrResetPreventedIt(t *testing.T) {
	aimed(t, func(tm *hashedwheel.Timer, r *rand.Rand) {
		var begun sync.WaitGroup
		timer := wheeltime.AfterFunc(tm, time.Hour, begun.Done)
		begun.Add(1)
		for range 20 {
			begun.Add(1) // before the Reset: f may begin before Reset has returned
			if timer.Reset(time.Duration(r.IntN(int(shortest))) - 1) {
				begun.Done()
			}
			around(shortest/2, r)
			if r.IntN(2) == 0 && timer.Stop() {
				begun.Done()
				begun.Add(1)
				assert.False(t, timer.Reset(time.Hour))
			}
		}
		if timer.Stop() {
			begun.Done()
		}
		begun.Wait() // hangs if a run was lost, panics if one was doubled
	})
}
