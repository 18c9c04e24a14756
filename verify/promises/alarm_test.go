package promises

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// forEachTick runs f in a bubble, with a timer of each tick.
func forEachTick(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer), ticks ...time.Duration) {
	for _, tick := range ticks {
		t.Run("tick "+tick.String(), func(t *testing.T) { timertest.InBubble(t, f, hashedwheel.WithTick(tick)) })
	}
}

func TestQuietWithoutAGoroutineWhileTimeoutsWait(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 1000 {
			tm.AfterFunc(time.Duration(1+i%10)*time.Hour, timertest.Nop)
			if i%50 == 0 {
				assert.Zero(t, timertest.LibraryGoroutines(), "while they are armed")
			}
		}
		for range 12 {
			timertest.Pass(time.Hour)
			assert.Zero(t, timertest.LibraryGoroutines(), "between two passes, and after the last")
		}
		assert.EqualValues(t, 1000, tm.Stats().Expired)
	})
}

// Calls end after 5 ms, long before their deadlines. The worker runs 20 times a second, to free the memory of stopped
// timeouts, and sooner where a stripe is half full.
func TestQuietWhileCallsAreArmedAndStopped(t *testing.T) {
	if limits.Deep < 4096 {
		t.Skip("with -tags small the worker runs whenever a few dozen wait")
	}
	timertest.LeaveFilingToTheWorker(t)
	const half = limits.Deep / 4 / 2 // four stripes
	for rate, most := range map[int]uint64{1000: 22, 100_000: 22 + 100_000/half} {
		t.Run(fmt.Sprintf("%d a second", rate), func(t *testing.T) {
			forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const seconds = 3
				var calls []*hashedwheel.Timeout
				for range seconds * 1000 {
					for range rate / 1000 {
						calls = append(calls, tm.AfterFunc(30*time.Second, timertest.Nop))
					}
					if ended := len(calls) - 5*rate/1000; ended > 0 {
						for _, to := range calls[:ended] {
							to.Stop()
						}
						calls = calls[ended:]
					}
					time.Sleep(time.Millisecond)
				}
				assert.LessOrEqual(t, tm.Stats().Wakeups/seconds, most)
			}, time.Millisecond, 10*time.Millisecond)
		})
	}
}

// If one goroutine arms 2,048 timeouts that are due soon, they are filed at the next tick.
func TestBoundedWaitOfABurstInTheQueue(t *testing.T) {
	timertest.LeaveFilingToTheWorker(t)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(24*time.Hour, timertest.Nop)
		timertest.Pass(time.Minute)
		before := tm.Stats().Wakeups
		for range limits.Deep {
			tm.AfterFunc(100*time.Millisecond, timertest.Nop)
		}
		timertest.Pass(2 * timertest.Tick)
		assert.Equal(t, before+1, tm.Stats().Wakeups)
	})
}

// earlier has ways to move a pending timeout to an earlier time.
var earlier = map[string]func(to *hashedwheel.Timeout, d time.Duration){
	"Reset":   func(to *hashedwheel.Timeout, d time.Duration) { to.Reset(d) },
	"ResetAt": func(to *hashedwheel.Timeout, d time.Duration) { to.ResetAt(to.Timer().Now().Add(d)) },
	"Move":    func(to *hashedwheel.Timeout, d time.Duration) { to.Move(d) },
	"Stop, ResetAt": func(to *hashedwheel.Timeout, d time.Duration) {
		to.Stop()
		to.ResetAt(to.Timer().Now().Add(d))
	},
}

// One goroutine arms for an hour while another arms for soon. The goroutine that pushes may find the other's deadline
// in the word. Next to a beat, the worker runs at each tick.
func TestAtMostOneTickLateIfTwoGoroutinesArmATimeout(t *testing.T) {
	for name, move := range earlier {
		for beside, load := range map[string]func(tm *hashedwheel.Timer){
			"alone": func(*hashedwheel.Timer) {}, "beside a beat": beat,
		} {
			t.Run(name+", "+beside, func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					load(tm)
					rnd := rand.New(rand.NewPCG(8, 8))
					var ran, due int64
					to := timertest.Owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { ran++ }))
					for range int64(timertest.Lasting(10_000)) {
						var both sync.WaitGroup
						calls := []func(){
							func() { to.Reset(time.Hour) },
							func() { move(to, 2*timertest.Tick) },
						}
						first := rnd.IntN(2) // usually the goroutine that was started last runs first
						both.Go(calls[first])
						both.Go(calls[1-first])
						both.Wait()
						if tm.Now().Add(time.Minute).After(to.Deadline()) {
							due++
						}
						timertest.Pass(3 * timertest.Tick)
						require.Equal(t, due, ran)
						to.Stop()
					}
					assert.Positive(t, due)
				}, timertest.Inline)
			})
		}
	}
}

// While a goroutine waits for the user's clock, arming for an earlier time starts another.
func TestQuietOnAUsersClockOnceNothingIsPending(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := tm.AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(time.Minute)
		assert.Equal(t, 1, timertest.LibraryGoroutines(), "it waits for the hour")
		to.Reset(0)
		timertest.Pass(10 * timertest.Tick)
		assert.Equal(t, hashedwheel.Expired, to.State())
		assert.Zero(t, timertest.LibraryGoroutines())
	}, hashedwheel.WithClock(new(alarmLog)))
}

// An Inline task ends just after a tick has begun: a timeout that the task has armed for that tick runs in it.
func TestAtMostOneTickLateIfATickBeginsDuringATask(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		late := time.Duration(-1)
		tm.AfterFunc(time.Second, func() {
			time.Sleep(timertest.Tick * 8 / 10)
			due := tm.Now()
			tm.AfterFunc(0, func() { late = tm.Now().Sub(due) })
			time.Sleep(timertest.Tick * 3 / 10)
		})
		timertest.Pass(2 * time.Second)
		assert.GreaterOrEqual(t, late, time.Duration(0))
		assert.LessOrEqual(t, late, timertest.Tick)
	}, timertest.OnWorker)
}

// A producer on a user's clock starts the worker, but cannot read the clock to tell it the tick.
func TestLatenessIsReportedWhileATaskBlocksOnAUsersClock(t *testing.T) {
	clock := new(timertest.SteppingClock)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		block := func() { time.Sleep(time.Second) } // whichever runs first: both are due
		tm.AfterFunc(timertest.Tick, block)
		tm.AfterFunc(2*timertest.Tick, block)
		clock.Step(2 * timertest.Tick) // before the worker runs
		time.Sleep(time.Second / 2)
		assert.EqualValues(t, 1, tm.Stats().Expired)
		assert.Greater(t, tm.Stats().Overdue, 400*time.Millisecond)
		timertest.Pass(2 * time.Second)
	}, timertest.OnWorker, hashedwheel.WithClock(clock))
}

// A fake clock is set forward after an arming has started the worker, and before the worker has begun.
func TestAtMostOneTickLateIfAUsersClockIsAheadOfTheWorker(t *testing.T) {
	timertest.LeaveFilingToTheWorker(t) // on one processor the worker begins once this goroutine waits
	synctest.Test(t, func(t *testing.T) {
		clock := new(timertest.SteppingClock)
		tm := timertest.New(timertest.OnWorker, hashedwheel.WithClock(clock))
		defer tm.StopAll()
		to := tm.AfterFunc(time.Hour, timertest.Nop)
		clock.Step(2 * time.Hour)
		synctest.Wait()
		assert.Equal(t, hashedwheel.Expired, to.State())
	})
}

// A fake clock that begins in 1970 is set to today: farther than a Timer counts.
func TestQuietOnAClockThatIsSetFartherThanATimerCounts(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		clock.Step(50 * 365 * 24 * time.Hour)
		tm.AfterFunc(time.Hour, timertest.Nop)
		assert.LessOrEqual(t, timertest.Wakeups(tm, time.Second), uint64(3))
	})
}
