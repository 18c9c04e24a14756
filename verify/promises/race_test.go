package promises

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Many are due at once. As soon as the worker has begun to hand them out,
// somebody stops them just ahead of it, in the order in which it comes, so that
// the two meet again and again.
func TestOneOutcomePerArmingWhenStopRacesWithExpiry(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n, rounds = 128, 3000 // as many as share a page, and so keep their order
		all := make([]hashedwheel.Timeout, n)
		var order []*hashedwheel.Timeout
		var ran, stopped atomic.Int64
		for i := range all {
			all[i].Init(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				if ran.Add(1) <= n { // the first round
					order = append(order, to)
				}
			}))
		}
		for round := range rounds {
			for i := range all {
				all[i].Reset(timertest.Tick)
			}
			before := ran.Load()
			time.Sleep(timertest.Tick)
			for range 10_000 { // not forever: the worker may have been quicker
				if ran.Load() != before {
					break
				}
			}
			for i := 0; round > 0 && i < n; {
				if order[i].State() == hashedwheel.Expired {
					i++ // the worker was here
					continue
				}
				if order[i].Stop() {
					stopped.Add(1)
				}
				i += 3
			}
			timertest.Pass(timertest.Tick)
		}
		assert.Equal(t, int64(rounds*n), ran.Load()+stopped.Load())
	}, timertest.OnWorker)
}

// Timeouts of the batch that is being handed out are armed again and again while
// Timer.Stop collects it: the queue and the batch both hold them.
func TestNothingIsLostAtStopNorReturnedTwice(t *testing.T) {
	for range int(timertest.Lasting(500)) {
		inline := hashedwheel.WithExecutor(hashedwheel.Inline{})
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond), inline)
		entered, leave := make(chan bool, 40), make(chan bool)
		all := make([]hashedwheel.Timeout, 40)
		for i := range all {
			all[i].Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
				entered <- true
				<-leave
			}))
			all[i].Reset(0)
		}
		<-entered // the others are in the batch
		for i := range all {
			all[i].Stop()
			all[i].Reset(time.Hour)
		}
		var resetting sync.WaitGroup
		resetting.Go(func() { resetUntil(leave, all) })
		time.Sleep(50 * time.Microsecond) // until it is at it
		left := tm.Stop()
		close(leave)
		resetting.Wait()
		returned := map[*hashedwheel.Timeout]bool{}
		for _, to := range left {
			require.False(t, returned[to], "twice")
			returned[to] = true
		}
	}
}

func resetUntil(end <-chan bool, all []hashedwheel.Timeout) {
	for at := time.Now().Add(time.Hour); ; at = at.Add(1) {
		for i := range all {
			all[i].ResetAt(at)
		}
		select {
		case <-end:
			return
		default:
		}
	}
}

// Only its owner arms and stops a timeout, while others drain the queue: each result must be true.
func TestADrainTakesNoCallBack(t *testing.T) {
	tm := timertest.New(timertest.Inline)
	defer tm.Stop()
	defer timertest.Counting(tm)()
	wrong, to := 0, timertest.Owned(tm, timertest.NopTask)
	for end := time.Now().Add(timertest.Lasting(300 * time.Millisecond)); time.Now().Before(end); {
		for i := range 100 {
			at := end.Add(time.Hour - time.Duration(i))
			to.ResetAt(at)
			if to.State() != hashedwheel.Pending || !to.Deadline().Equal(at) {
				wrong++
			}
			if !to.Stop() || to.State() != hashedwheel.Canceled {
				wrong++
			}
		}
	}
	assert.Zero(t, wrong)
}

// All who arm one timeout at once reserve room, and all but one give it back; in a full timer all are refused.
func TestOneOutcomePerArmingTakesOnePlaceHoweverManyArmATimeout(t *testing.T) {
	const limit = 20
	for name, before := range map[string]int{"with room": 0, "full": limit} {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(timertest.Inline, hashedwheel.WithMaxPending(limit))
			defer tm.Stop()
			others := make([]*hashedwheel.Timeout, before)
			for i := range others {
				others[i] = tm.AfterFunc(time.Hour, timertest.Nop)
			}
			to := timertest.Owned(tm, timertest.NopTask)
			var armings atomic.Int64
			var users sync.WaitGroup
			for range 8 {
				users.Go(func() {
					for end := time.Now().Add(timertest.Lasting(300 * time.Millisecond)); time.Now().Before(end); {
						armings.Add(1)
						to.Reset(time.Hour)
						to.Stop()
					}
				})
			}
			users.Wait()
			assert.Equal(t, uint64(armings.Load())*uint64(before/limit), tm.Stats().Rejected)
			for _, other := range others {
				other.Stop()
			}
			for range limit {
				assert.NoError(t, tm.AfterFunc(time.Hour, timertest.Nop).Err())
			}
			assert.ErrorIs(t, tm.AfterFunc(time.Hour, timertest.Nop).Err(), hashedwheel.ErrFull)
		})
	}
}

// A Reset that returns true goes on with the arming that is pending, another begins one: however many goroutines reset
// one timeout, there are as many outcomes as Resets that returned false.
func TestOneOutcomePerArmingHoweverManyMoveATimeout(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(opts...)
			var began, ran, stopped atomic.Int64
			to := timertest.Owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { ran.Add(1) }))
			var users sync.WaitGroup
			for range 8 {
				users.Go(func() {
					for end := time.Now().Add(timertest.Lasting(300 * time.Millisecond)); time.Now().Before(end); {
						for range 64 {
							if !to.Reset(rand.N(2 * timertest.Tick)) {
								began.Add(1)
							}
							if rand.IntN(8) == 0 && to.Stop() {
								stopped.Add(1)
							}
						}
						time.Sleep(50 * time.Microsecond)
					}
				})
			}
			users.Wait()
			left := timertest.Shutdown(t, tm)
			assert.Equal(t, began.Load(), ran.Load()+stopped.Load()+int64(len(left)))
			t.Logf("%d armings, %d ran, %d stopped", began.Load(), ran.Load(), stopped.Load())
		})
	}
}
