package keyed_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// Goexit ends renew without a result, as a panic does, which FuzzMap has: no value is lost.
func TestValueWhoseRenewCallsGoexitExpires(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		expired := 0
		m := keyed.NewRenewing(tm, func(int, int) time.Duration {
			runtime.Goexit()
			return time.Hour
		}, func(int, int) { expired++ })
		require.NoError(t, m.Set(1, 1, tick))
		timertest.Pass(time.Second)
		assert.Equal(t, 1, expired)
		assert.Zero(t, m.Len())
	})
}

// A panic handler gets the Timeout of a value that has expired, and may arm it.
func TestTimeoutThatAPanicHandlerArmsExpiresNothing(t *testing.T) {
	var failed *hashedwheel.Timeout
	clock, tm := timertest.NewManual(
		hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { failed = to }))
	defer tm.Stop()
	expired := 0
	m := keyed.NewRenewing(tm, func(int, int) time.Duration { panic("on purpose") }, func(int, int) { expired++ })
	require.NoError(t, m.Set(1, 1, tick))
	clock.Advance(tick)
	require.NotNil(t, failed)
	failed.Reset(tick)
	clock.Advance(tick)
	assert.Equal(t, 1, expired)
}
