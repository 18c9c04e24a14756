package promises

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Far timeouts wait in the queue for up to the linger of 50 ms, while the worker runs and ends.

var ticksOfAll = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}

// beat makes the worker run at each tick, and check the queue each time.
func beat(tm *hashedwheel.Timer) {
	timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { to.Reset(0) })).Reset(0)
}

func TestAtMostOneTickLateIfFarBecomesNear(t *testing.T) {
	far := map[string]func(to *hashedwheel.Timeout){
		"armed":   func(to *hashedwheel.Timeout) { to.Reset(time.Hour) },
		"stopped": func(to *hashedwheel.Timeout) { to.Reset(time.Hour); to.Stop() },
		"stopped in the wheel": func(to *hashedwheel.Timeout) {
			to.Reset(time.Hour)
			timertest.Pass(time.Second)
			to.Stop()
		},
	}
	for was, first := range far {
		for name, move := range earlier {
			t.Run(was+", "+name, func(t *testing.T) {
				forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
					beat(tm)
					rnd := rand.New(rand.NewPCG(11, uint64(tm.Tick())))
					for range 15 {
						time.Sleep(time.Duration(rnd.Int64N(int64(time.Second))))
						var ran time.Time
						to := timertest.Owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { ran = tm.Now() }))
						first(to)
						time.Sleep(time.Duration(rnd.Int64N(int64(60 * time.Millisecond))))
						if to.State() != hashedwheel.Pending {
							to.Reset(time.Hour)
						}
						d := time.Duration(rnd.Int64N(int64(60*time.Millisecond + 3*tm.Tick())))
						due := tm.Now().Add(d)
						move(to, d)
						timertest.Pass(d + tm.Tick())
						require.False(t, ran.IsZero(), "after %v", d)
						require.GreaterOrEqual(t, ran.Sub(due), time.Duration(0))
					}
				}, ticksOfAll...)
			})
		}
	}
}

// Goroutines move far timeouts to soon, or arm new ones, at the instants at which the worker passes: before, while and
// after it takes either lane of the queue.
func TestAtMostOneTickLateIfArmedDuringAPass(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 5 {
			beat(tm)
		}
		var movers sync.WaitGroup
		for m := range uint64(6) {
			movers.Go(func() {
				rnd := rand.New(rand.NewPCG(m, 5))
				ticks := func(n int) time.Duration { return time.Duration(rnd.IntN(n)) * timertest.Tick }
				for range timertest.Lasting(2000) {
					ran := make(chan time.Time, 1)
					to := ownedFunc(tm, func() { ran <- time.Now() })
					d := ticks(6)
					if rnd.IntN(2) == 0 {
						to.Reset(time.Hour)
						time.Sleep(ticks(3) * time.Duration(rnd.IntN(25)))
					} else if rnd.IntN(2) == 0 {
						d = 150*timertest.Tick + ticks(100) // about as far as the far lane begins
					}
					due := time.Now().Add(d)
					to.ResetAt(due)
					latest := due
					if now := time.Now(); now.After(due) {
						latest = now
					}
					// 1: a waker that fires while a producer is the worker is set again, for a nanosecond.
					if at := <-ran; !assert.WithinRange(t, at, due, latest.Add(timertest.Tick+1)) {
						return
					}
					time.Sleep(ticks(2))
				}
			})
		}
		movers.Wait()
		timertest.Shutdown(t, tm) // a beat may be stalled
	})
}
