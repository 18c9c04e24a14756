package hashedwheel_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// The old worker is about to run a timeout when it is replaced, and both come
// to it: the old one first or last. Here it is the clock that is slow, which
// the worker reads just before it claims.
type stickyClock struct {
	stuck chan time.Duration // how long each of the next calls of Now takes
}

func (c stickyClock) Now() time.Time {
	select {
	case d := <-c.stuck:
		time.Sleep(d)
	default:
	}
	return time.Now()
}

func (c stickyClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// onStickyClock has the first of n siblings make the next calls of Now stick.
func onStickyClock(t *testing.T, n int, sticks []time.Duration, f func(t *testing.T, tm *hashedwheel.Timer, all []*hashedwheel.Timeout, ran []atomic.Int32), opts ...hashedwheel.Option) {
	clock := stickyClock{make(chan time.Duration, len(sticks))}
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := make([]atomic.Int32, n)
		all := make([]*hashedwheel.Timeout, n)
		var stuck atomic.Bool
		for i := range all {
			all[i] = tm.AfterFunc(5*oneTick, func() {
				ran[i].Add(1)
				if stuck.CompareAndSwap(false, true) {
					for _, d := range sticks {
						clock.stuck <- d
					}
				}
			})
		}
		pass(5 * oneTick)
		f(t, tm, all, ran)
	}, append(opts, hashedwheel.WithClock(clock))...)
}

func forEveryOrderOfTwoWorkers(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, all []*hashedwheel.Timeout, ran []atomic.Int32)) {
	for name, sticks := range map[string][]time.Duration{
		"the new worker comes first": {3 * oneTick},
		"the old worker comes first": {3 * oneTick, 3 * oneTick},
	} {
		for _, n := range []int{2, 64, 65, 1000} {
			t.Run(fmt.Sprintf("%s, %d of one tick", name, n), func(t *testing.T) { onStickyClock(t, n, sticks, f) })
		}
	}
}

func TestHandoffWhileATimeoutIsBeingClaimed(t *testing.T) {
	forEveryOrderOfTwoWorkers(t, func(t *testing.T, tm *hashedwheel.Timer, all []*hashedwheel.Timeout, ran []atomic.Int32) {
		pass(20 * oneTick)
		assert.NotZero(t, tm.Stats().Handoffs)
		assert.Equal(t, uint64(len(all)), tm.Stats().Expired)
		assert.Zero(t, tm.Pending())
		for i := range ran {
			assert.Equal(t, int32(1), ran[i].Load(), "runs of number %d", i)
		}
	})
}

// What one worker claims is not pending any more, wherever the other has put it.
func TestHandoffLeavesPendingExactWhenAClaimComesLate(t *testing.T) {
	forEveryOrderOfTwoWorkers(t, func(t *testing.T, tm *hashedwheel.Timer, all []*hashedwheel.Timeout, _ []atomic.Int32) {
		for range 30 {
			pending := 0
			for _, to := range all {
				if to.State() == hashedwheel.Pending {
					pending++
				}
			}
			assert.Equal(t, pending, tm.Pending())
			pass(oneTick / 4)
		}
	})
}

// Build with -tags invariants. What was claimed late is refused its next arming,
// while the new worker has not come to it yet.
func TestHandoffLeavesTheWheelInOrderWhenAClaimComesLate(t *testing.T) {
	const limit = 10
	onStickyClock(t, limit, []time.Duration{3 * oneTick, 3 * oneTick},
		func(t *testing.T, tm *hashedwheel.Timer, all []*hashedwheel.Timeout, _ []atomic.Int32) {
			pass(7 * oneTick / 2)
			var fillers []*hashedwheel.Timeout
			for range limit {
				fillers = append(fillers, tm.AfterFunc(time.Hour, nop))
			}
			for _, to := range all {
				if to.State() == hashedwheel.Expired {
					to.Reset(time.Hour)
				}
			}
			assert.NotPanics(t, func() { tm.Pending() })
			for _, to := range append(all, fillers...) {
				to.Stop()
			}
			for _, to := range all {
				to.Reset(oneTick)
			}
			pass(20 * oneTick)
			assert.Zero(t, tm.Pending())
		}, hashedwheel.WithMaxPending(limit))
}
