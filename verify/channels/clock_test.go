package channels_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAfterIsClosedAtOnceWhenTheClockJumpsOverIt(t *testing.T) {
	timertest.OnSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *timertest.SteppingClock) {
		over, beyond := tm.After(time.Hour), tm.After(21*24*time.Hour)
		timertest.Pass(5 * tick)
		clock.Step(20 * 24 * time.Hour)
		synctest.Wait()
		assert.True(t, isClosed(over))
		assert.False(t, isClosed(beyond))
		timertest.Pass(24 * time.Hour)
		assert.True(t, isClosed(beyond))
	})
}
