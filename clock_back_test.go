package hashedwheel_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// The clock leaps ahead, then a task sets it back and does not come back to the
// worker, while more is to be handed out than fits a batch: the pass for the far
// tick never ends, and another one begins at the near tick.
func TestAtMostOneTickLateAfterATaskThatSetTheClockBackLeftTheWorker(t *testing.T) {
	for name, leave := range map[string]func(){
		"by Goexit":    runtime.Goexit,
		"by a handoff": func() { time.Sleep(4 * oneTick) },
	} {
		t.Run(name, func(t *testing.T) {
			clock := new(steppingClock)
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(5*oneTick, func() {
					clock.step(-time.Hour)
					leave()
				})
				for range 200 {
					tm.AfterFunc(6*oneTick, nop)
				}
				pass(oneTick / 2)
				clock.step(time.Hour + 10*oneTick)
				pass(20 * oneTick)
				ran := note(tm, clock, oneTick)
				deadline := clock.Now().Add(oneTick)
				pass(10 * oneTick)
				assert.WithinRange(t, *ran, deadline, deadline.Add(oneTick))
			}, hashedwheel.WithClock(clock), inlined)
		})
	}
}
