package hashedwheel_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// The worker is held up until a timeout is due; meanwhile a backlog is armed
// that is due even before it. It runs after no more of them than may be filed.
func TestBoundedWorkBeforeWhatIsDue(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 10} {
		t.Run(fmt.Sprintf("a drain limit of %d", limit), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var order []string
				tm.AfterFunc(10*oneTick, func() { order = append(order, "due") })
				tm.AfterFunc(5*oneTick, func() { time.Sleep(5 * oneTick) })
				time.Sleep(5*oneTick + oneTick/2)
				for range 1000 {
					tm.AfterFunc(0, func() { order = append(order, "backlog") })
				}
				pass(10 * oneTick)
				require.Len(t, order, 1001)
				assert.LessOrEqual(t, slices.Index(order, "due"), limit)
			}, hashedwheel.WithDrainLimit(limit), onWorker)
		})
	}
}

// A plain cap of limit armings a tick would take hundreds of ticks for these,
// and for ever if they kept coming.
func TestBoundedWorkGoesOnInTheTimeThatIsLeft(t *testing.T) {
	for limit := 1; limit <= 10; limit++ {
		t.Run(fmt.Sprintf("a drain limit of %d", limit), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				for range 20 { // ticks in which 200 are armed
					due, late := time.Now().Add(3*oneTick), 0
					for range 200 {
						tm.AfterFunc(3*oneTick, func() {
							if time.Since(due) > oneTick {
								late++
							}
						})
					}
					time.Sleep(5 * oneTick)
					pass(0)
					require.Zero(t, late)
				}
				assert.Equal(t, uint64(4000), tm.Stats().Expired)
			}, hashedwheel.WithDrainLimit(limit), onWorker)
		})
	}
}

// The worker looks at the clock at least once for every portion of a backlog.
func TestBoundedWorkBetweenTwoLooksAtTheClock(t *testing.T) {
	clock := new(sleepLog)
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 1000 {
			tm.AfterFunc(time.Hour, nop)
		}
		before := clock.reads.Load()
		pass(oneTick)
		assert.GreaterOrEqual(t, clock.reads.Load()-before, int64(1000/10))
		pass(oneTick)
		assert.LessOrEqual(t, clock.sleeps.Load(), int64(4), "it has not taken a tick for each")
	}, hashedwheel.WithClock(clock), hashedwheel.WithDrainLimit(10))
}

func TestBoundedWorkOfCancellations(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 1000 {
			tm.AfterFunc(time.Hour, nop).Stop()
		}
		filed := make([]*hashedwheel.Timeout, 1000)
		for i := range filed {
			filed[i] = tm.AfterFunc(time.Hour, nop)
		}
		pass(oneTick)
		for _, to := range filed {
			to.Stop()
		}
		pass(2 * oneTick)
		assert.Zero(t, libraryGoroutines(), "all is drained, and the worker has ended")
		assert.Equal(t, uint64(2000), tm.Stats().Cancelled)
	}, hashedwheel.WithDrainLimit(1))
}

// A zero delay that is armed in its own task means once a tick, not at once.
func TestBoundedWorkOfATaskThatArmsItselfAtOnce(t *testing.T) {
	for _, d := range []time.Duration{0, -1, -time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				runs := 0
				to := owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
					runs++
					to.Reset(d)
				}))
				to.Reset(d)
				var other runLog
				start := time.Now()
				owned(tm, &other).Reset(50 * oneTick)
				pass(100 * oneTick)
				assert.Equal(t, 100, runs, "once a tick")
				require.Len(t, other.times(), 1, "the others are not starved")
				assert.LessOrEqual(t, other.times()[0].Sub(start), 51*oneTick)
				to.Stop()
			}, onWorker)
		})
	}
}

// Even if Pending files it while its tick is being handed out.
func TestBoundedWorkOfTasksThatArmThemselvesAndCountWhatIsPending(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n, ticks = 300, 10
		runs := 0
		for range n {
			owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				if runs++; runs < 10*n*ticks { // else it would go on for ever
					to.Reset(0)
				}
				tm.Pending()
			})).Reset(0)
		}
		pass(ticks * oneTick)
		assert.Equal(t, n*ticks, runs, "each once a tick")
	}, onWorker)
}

// After a stall each task that was due has its turn, and each series goes on
// from now: no burst makes up for the ticks that were missed.
func TestBoundedWorkAfterAStall(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		to := owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
			log.Run(to)
			to.Reset(2 * oneTick)
		}))
		to.Reset(2 * oneTick)
		tm.AfterFunc(10*oneTick+1, func() { time.Sleep(time.Second + oneTick/2) })
		pass(2 * time.Second)
		to.Stop()
		times := log.times()
		for i := 1; i < len(times); i++ {
			require.GreaterOrEqual(t, times[i].Sub(times[i-1]), 2*oneTick)
		}
	}, onWorker)
}
