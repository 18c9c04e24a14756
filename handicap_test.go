//go:build handicap

package hashedwheel

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// slowFiling skips a test unless filing is so slow that not even four thousand pushes are filed in two milliseconds.
func slowFiling(t *testing.T) {
	if d, _ := time.ParseDuration(os.Getenv("HASHEDWHEEL_HANDICAP")); d < 600*time.Nanosecond || limits.SampledLog2 < 7 {
		t.Skip("needs HASHEDWHEEL_HANDICAP=600ns, without -tags small")
	}
}

func TestPassLetsFewerTimeoutsWaitIfFilingIsSlow(t *testing.T) {
	slowFiling(t)
	for _, c := range []struct{ tick, filing time.Duration }{
		{10 * time.Millisecond, 2 * time.Millisecond},
		{2 * time.Millisecond, time.Millisecond},
	} {
		tm := MustNew(WithTick(c.tick), WithClock(NewManualClock(time.Now())))
		most := tm.queue.flooded.Load()
		for range limits.Ahead / 2 { // too few for this goroutine to help
			tm.AfterFunc(time.Hour, func() {})
		}
		tm.worker.passOnce() // Advance would look first, which files them
		flooded := int(tm.queue.flooded.Load())
		assert.Less(t, flooded, int(most)/2)
		assert.LessOrEqual(t, flooded, int(c.filing/(600*time.Nanosecond))/len(tm.queue.stripes), "tick %v", c.tick)
		assert.LessOrEqual(t, 128<<tm.queue.sampled.Load(), flooded*len(tm.queue.stripes), "128 producers double the number at most")
	}
}
