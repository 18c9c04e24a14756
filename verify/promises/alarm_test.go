package promises

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
