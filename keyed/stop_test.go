package keyed_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// Each key has a run that the executor has not begun, and was moved to an hour later after that.
// Timer.Stop cancels a portion of the keys and then releases its room: a Touch in between finds the
// timer full. The old run must not take that for an expiry.
func TestTouchedKeysDoNotExpireDuringStopOfAFullTimer(t *testing.T) {
	const rounds, keys = 200, 300
	for range rounds {
		clock, h := hashedwheel.NewManualClock(time.Now()), new(timertest.HeldBack)
		tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithClock(clock),
			hashedwheel.WithExecutor(h), hashedwheel.WithMaxPending(keys))
		expired := 0
		m := keyed.New(tm, func(int, int) { expired++ })
		for k := range keys {
			require.NoError(t, m.Set(k, k, 0))
		}
		clock.Advance(tick)
		for k := range keys {
			_, ok := m.Touch(k, time.Hour)
			require.True(t, ok)
		}
		stopped := make(chan struct{})
		var begun, running sync.WaitGroup
		begun.Add(2)
		for i := range 2 {
			running.Go(func() {
				begun.Done()
				for k := i; ; k += 2 {
					select {
					case <-stopped:
						return
					default:
						m.Touch(k%keys, time.Hour)
					}
				}
			})
		}
		begun.Wait()
		tm.Stop()
		close(stopped)
		running.Wait()
		require.Equal(t, keys, h.Release())
		assert.Zero(t, expired, "an hour early")
		assert.Equal(t, keys, m.Len())
	}
}
