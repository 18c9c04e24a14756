package docs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// TestBubbleSleepsTenYearsOverAPendingTimeout: the wheel has no empty ticks that a bubble would have to go through.
func TestBubbleSleepsTenYearsOverAPendingTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var ran time.Duration
		tm.AfterFunc(5*365*24*time.Hour, func() { ran = time.Since(start) })
		pass(10 * 365 * 24 * time.Hour)
		assert.InDelta(t, 5*365*24*time.Hour, ran, float64(tick))
		assert.Less(t, tm.Stats().Wakeups, uint64(10))
	})
}
