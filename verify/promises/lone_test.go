package promises

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A run of the worker that only takes the queue, as 50 ms after an arming, makes no timeout wait for a whole tick.
func TestOnTimeToATenthOfATickIfAloneAndTheQueueWasTakenShortlyBefore(t *testing.T) {
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		for _, clock := range []string{"the system's", "a user's"} {
			t.Run(fmt.Sprintf("tick %v, clock: %s", tick, clock), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					for i := range time.Duration(40) {
						d := 50*time.Millisecond + i*tick/20
						time.Sleep(3*time.Second + 3*tick + tick/30)
						due, late := time.Now().Add(d), time.Duration(-1)
						tm.AfterFunc(d, func() { late = time.Since(due) })
						timertest.Pass(d + tick)
						assert.GreaterOrEqual(t, late, time.Duration(0), "delay %v", d)
						assert.LessOrEqual(t, late, tick/10, "delay %v", d)
					}
				}, append(bubbleClocks[clock], hashedwheel.WithTick(tick))...)
			})
		}
	}
}
