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

// A panic handler may arm the Timeout of a value that has expired: the value's place is free again after its run.
func TestTimeoutThatAPanicHandlerArmsKeepsNoPlace(t *testing.T) {
	var failed *hashedwheel.Timeout
	clock, tm := timertest.NewManual(hashedwheel.WithMaxPending(1),
		hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { failed = to }))
	defer tm.Stop()
	m := keyed.NewRenewing(tm, func(int, int) time.Duration { panic("on purpose") }, func(int, int) {})
	require.NoError(t, m.Set(1, 1, tick))
	clock.Advance(tick)
	require.NotNil(t, failed)
	failed.Reset(tick)
	require.Equal(t, hashedwheel.ErrFull, m.Set(2, 2, tick))
	clock.Advance(tick)
	require.NoError(t, m.Set(2, 2, tick))
}
