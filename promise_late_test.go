package hashedwheel_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

func TestAtMostOneTickLateAtAnyDelay(t *testing.T) {
	for _, size := range []int{1, 2, 8, 512} {
		for _, armedAt := range []time.Duration{0, 1, oneTick / 3, oneTick - 1} {
			t.Run(fmt.Sprintf("%d buckets, armed %v into a tick", size, armedAt), func(t *testing.T) {
				inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					time.Sleep(5*oneTick + armedAt)
					delays := delaysAround(size)
					for i, late := range lateness(tm, delays) {
						assert.LessOrEqual(t, late, oneTick, "a delay of %v", delays[i])
					}
				}, hashedwheel.WithWheelSize(size))
			})
		}
	}
}

func TestAtMostOneTickLateAtAnyTick(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, 3 * time.Millisecond, time.Second, 24 * time.Hour} {
		t.Run(tick.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 7)
				for _, late := range lateness(tm, delaysAround(512)) {
					assert.GreaterOrEqual(t, late, time.Duration(0))
					assert.LessOrEqual(t, late, tick)
				}
			}, hashedwheel.WithTick(tick))
		})
	}
}

// The worker sleeps until the far timeout, or has ended: an arming must wake it.
func TestAtMostOneTickLateWhileTheWorkerSleeps(t *testing.T) {
	for _, others := range []time.Duration{0, 10 * time.Second, time.Hour} {
		t.Run(fmt.Sprintf("the next one is due in %v", others), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				if others > 0 {
					tm.AfterFunc(others, nop)
				}
				for i := range 100 {
					time.Sleep(5*oneTick + time.Duration(i)*oneTick/10)
					late := lateness(tm, []time.Duration{time.Duration(i) * oneTick / 3})
					require.LessOrEqual(t, late[0], oneTick)
				}
			})
		})
	}
}

// Pending and Stats file armings in the worker's place. They must not hide them
// from a worker that is about to sleep until a later tick.
func TestAtMostOneTickLateWhilePendingIsCalled(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Hour, nop)
		for i := range 2000 {
			var callers sync.WaitGroup
			for range 2 {
				callers.Go(func() { tm.Pending() })
			}
			late := lateness(tm, []time.Duration{time.Duration(i%4) * oneTick})
			require.LessOrEqual(t, late[0], oneTick, "round %d", i)
			callers.Wait()
		}
	})
}

// Armings come at the very instants at which the worker looks for the last time
// before it goes to sleep.
func TestAtMostOneTickLateWhenArmedAsTheWorkerGoesToSleep(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var producers sync.WaitGroup
		for p := range 4 {
			producers.Go(func() {
				for i := range 500 {
					time.Sleep(time.Duration(1+(i+p)%4) * oneTick)
					late := lateness(tm, []time.Duration{oneTick})
					if !assert.LessOrEqual(t, late[0], oneTick) {
						return
					}
				}
			})
		}
		producers.Wait()
	})
}

func TestAtMostOneTickLateWhenMovedEarlier(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		to := owned(tm, &log)
		to.Reset(time.Hour)
		time.Sleep(time.Minute)
		due := time.Now().Add(3*oneTick + 1)
		require.True(t, to.Reset(3*oneTick+1))
		pass(10 * oneTick)
		require.Len(t, log.times(), 1)
		assert.LessOrEqual(t, log.times()[0].Sub(due), oneTick)
		pass(2 * time.Hour)
		assert.Len(t, log.times(), 1, "the old deadline is forgotten")
	})
}

func TestAtMostOneTickLateWhenMovedLater(t *testing.T) {
	for _, d := range []time.Duration{oneTick / 2, oneTick, 8 * oneTick, 100*oneTick + 1, time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var log runLog
				to := owned(tm, &log)
				to.Reset(10 * oneTick)
				time.Sleep(9*oneTick + oneTick/3)
				due := time.Now().Add(d)
				require.True(t, to.Reset(d))
				pass(2 * time.Hour)
				require.Len(t, log.times(), 1)
				assert.LessOrEqual(t, log.times()[0].Sub(due), oneTick)
			}, hashedwheel.WithWheelSize(8))
		})
	}
}

// One that is moved while others of its tick are being handed out is behind
// the place where the worker is.
func TestAtMostOneTickLateWhenMovedByATaskOfItsOwnTick(t *testing.T) {
	forEveryMoveByASibling(t, func(t *testing.T, due, ran time.Time) {
		assert.LessOrEqual(t, ran.Sub(due), oneTick)
	})
}

// forEveryMoveByASibling lets the first of 200 timeouts of one tick move all of
// them, and hands check when each was due by that and when it ran.
func forEveryMoveByASibling(t *testing.T, check func(t *testing.T, due, ran time.Time)) {
	for _, d := range []time.Duration{0, 1, oneTick, 5 * oneTick, 8 * oneTick, time.Minute} {
		for _, pending := range []bool{false, true} {
			t.Run(fmt.Sprintf("by %v, Pending called=%v", d, pending), func(t *testing.T) {
				inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
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
						siblings[i].Reset(10 * oneTick)
					}
					pass(time.Hour)
					assert.Equal(t, 1+len(siblings), ran)
				}, onWorker, hashedwheel.WithWheelSize(8))
			})
		}
	}
}

// The Lag of Stats is what the worker adds to the promised tick.
func TestAtMostOneTickLatePlusWhatABlockedWorkerAdds(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(5*oneTick, nop)
		pass(20 * oneTick)
		assert.Zero(t, tm.Stats().MaxLag, "nothing was in the way")

		const stall = 30 * oneTick
		tm.AfterFunc(oneTick, func() { time.Sleep(stall) })
		pass(2 * oneTick)
		late := lateness(tm, []time.Duration{oneTick, 5 * oneTick, 10 * oneTick})
		for _, late := range late {
			assert.LessOrEqual(t, late, stall)
		}
		tm.AfterFunc(oneTick, nop)
		pass(10 * oneTick)
		stats := tm.Stats()
		assert.Greater(t, stats.MaxLag, 20*oneTick)
		assert.LessOrEqual(t, stats.MaxLag, stall)
		assert.Zero(t, stats.Lag, "the last tick was on time")
	}, onWorker)
}
