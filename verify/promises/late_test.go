package promises

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAtMostOneTickLateAtAnyDelay(t *testing.T) {
	atAnyDelay(t, func(t *testing.T, delay, late time.Duration) {
		assert.LessOrEqual(t, late, timertest.Tick, "a delay of %v", delay)
	})
}

func TestAtMostOneTickLateAtAnyTick(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, 3 * time.Millisecond, time.Second, 24 * time.Hour} {
		t.Run(tick.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 7)
				for _, late := range timertest.Lateness(tm, timertest.DelaysAround(512)) {
					assert.GreaterOrEqual(t, late, time.Duration(0))
					assert.LessOrEqual(t, late, tick)
				}
			}, hashedwheel.WithTick(tick))
		})
	}
}

// A tick is closed only when all timeouts that were queued as its pass began have been filed. With -tags small
// that takes two drains.
func TestAtMostOneTickLateBehindTwoDrains(t *testing.T) {
	timertest.LeaveFilingToTheWorker(t)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		backlog := newBacklog()
		for i := range backlog {
			backlog[i].InitFunc(tm, func() { ran++ })
			backlog[i].Reset(timertest.Tick / 2)
		}
		timertest.Pass(timertest.Tick)
		assert.Equal(t, len(backlog), ran)
	}, timertest.OnWorker)
}

// Timeouts of several ticks are queued together, so some of them wait behind others that are due later.
func TestAtMostOneTickLateBehindABacklog(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 20 {
			delays := make([]time.Duration, timertest.Backlog)
			for i := range delays {
				delays[i] = time.Duration(i%8+1) * timertest.Tick / 4
			}
			for i, late := range timertest.Lateness(tm, delays) {
				require.LessOrEqual(t, late, timertest.Tick, "a delay of %v", delays[i])
			}
		}
	}, timertest.OnWorker)
}

// The worker sleeps until the far timeout, or has ended: an arming must wake it.
func TestAtMostOneTickLateWhileTheWorkerSleeps(t *testing.T) {
	for _, others := range []time.Duration{0, 10 * time.Second, time.Hour} {
		t.Run(fmt.Sprintf("the next one is due in %v", others), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				if others > 0 {
					tm.AfterFunc(others, timertest.Nop)
				}
				for i := range 100 {
					time.Sleep(5*timertest.Tick + time.Duration(i)*timertest.Tick/10)
					late := timertest.Lateness(tm, []time.Duration{time.Duration(i) * timertest.Tick / 3})
					require.LessOrEqual(t, late[0], timertest.Tick)
				}
			})
		})
	}
}

// Pending and Stats file armings in the worker's place. They must not hide them
// from a worker that is about to sleep until a later tick.
func TestAtMostOneTickLateWhilePendingIsCalled(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Hour, timertest.Nop)
		for i := range 2000 {
			var callers sync.WaitGroup
			for range 2 {
				callers.Go(func() { tm.Pending() })
			}
			late := timertest.Lateness(tm, []time.Duration{time.Duration(i%4) * timertest.Tick})
			require.LessOrEqual(t, late[0], timertest.Tick, "round %d", i)
			callers.Wait()
		}
	})
}

// Armings come at the very instants at which the worker looks for the last time
// before it goes to sleep.
func TestAtMostOneTickLateWhenArmedAsTheWorkerGoesToSleep(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var producers sync.WaitGroup
		for p := range 4 {
			producers.Go(func() {
				for i := range 500 {
					time.Sleep(time.Duration(1+(i+p)%4) * timertest.Tick)
					late := timertest.Lateness(tm, []time.Duration{timertest.Tick})
					if !assert.LessOrEqual(t, late[0], timertest.Tick) {
						return
					}
				}
			})
		}
		producers.Wait()
	})
}

func TestAtMostOneTickLateWhenMovedEarlier(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to := timertest.Owned(tm, &log)
		to.Reset(time.Hour)
		time.Sleep(time.Minute)
		due := time.Now().Add(3*timertest.Tick + 1)
		require.True(t, to.Reset(3*timertest.Tick+1))
		timertest.Pass(10 * timertest.Tick)
		require.Len(t, log.Times(), 1)
		assert.LessOrEqual(t, log.Times()[0].Sub(due), timertest.Tick)
		timertest.Pass(2 * time.Hour)
		assert.Len(t, log.Times(), 1, "the old deadline is forgotten")
	})
}

func TestAtMostOneTickLateWhenMovedLater(t *testing.T) {
	for _, d := range []time.Duration{timertest.Tick / 2, timertest.Tick, 8 * timertest.Tick, 100*timertest.Tick + 1, time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log timertest.RunLog
				to := timertest.Owned(tm, &log)
				to.Reset(10 * timertest.Tick)
				time.Sleep(9*timertest.Tick + timertest.Tick/3)
				due := time.Now().Add(d)
				require.True(t, to.Reset(d))
				timertest.Pass(2 * time.Hour)
				require.Len(t, log.Times(), 1)
				assert.LessOrEqual(t, log.Times()[0].Sub(due), timertest.Tick)
			}, hashedwheel.WithWheelSize(8))
		})
	}
}

// A timeout that is moved while others of its tick are being handed out is behind the place where
// the worker is.
func TestAtMostOneTickLateWhenMovedByATaskOfItsOwnTick(t *testing.T) {
	forEveryMoveByASibling(t, func(t *testing.T, due, ran time.Time) {
		assert.LessOrEqual(t, ran.Sub(due), timertest.Tick)
	})
}

// forEveryMoveByASibling lets the first of 200 timeouts of one tick move all of
// them, and hands check when each was due by that and when it ran.
func forEveryMoveByASibling(t *testing.T, check func(t *testing.T, due, ran time.Time)) {
	for _, d := range []time.Duration{0, 1, timertest.Tick, 5 * timertest.Tick, 8 * timertest.Tick, time.Minute} {
		for _, pending := range []bool{false, true} {
			t.Run(fmt.Sprintf("by %v, Pending called=%v", d, pending), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					siblings := make([]hashedwheel.Timeout, 200)
					ran, due := 0, time.Time{}
					task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
						if ran++; ran > 1 {
							check(t, due, time.Now())
							return
						}
						due = time.Now().Add(d)
						for i := range siblings {
							siblings[i].Reset(d)
						}
						if pending {
							assert.Equal(t, len(siblings), tm.Pending())
						}
					})
					for i := range siblings {
						siblings[i].Init(tm, task)
						siblings[i].Reset(10 * timertest.Tick)
					}
					timertest.Pass(time.Hour)
					assert.Equal(t, 1+len(siblings), ran)
				}, timertest.OnWorker, hashedwheel.WithWheelSize(8))
			})
		}
	}
}

// Stats.Lag is the delay that the worker adds to the promised tick.
func TestAtMostOneTickLatePlusTheDelayOfABlockedWorker(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(5*timertest.Tick, timertest.Nop)
		timertest.Pass(20 * timertest.Tick)
		assert.Zero(t, tm.Stats().MaxLag, "nothing was in the way")

		const stall = 30 * timertest.Tick
		tm.AfterFunc(timertest.Tick, func() { time.Sleep(stall) })
		timertest.Pass(2 * timertest.Tick)
		late := timertest.Lateness(tm, []time.Duration{timertest.Tick, 5 * timertest.Tick, 10 * timertest.Tick})
		for _, late := range late {
			assert.LessOrEqual(t, late, stall)
		}
		tm.AfterFunc(timertest.Tick, timertest.Nop)
		timertest.Pass(10 * timertest.Tick)
		stats := tm.Stats()
		assert.Greater(t, stats.MaxLag, 20*timertest.Tick)
		assert.LessOrEqual(t, stats.MaxLag, stall)
		assert.Zero(t, stats.Lag, "the last tick was on time")
	}, timertest.OnWorker)
}
