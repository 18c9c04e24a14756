package clockwork

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

// The wheel's clock does what the real one does, at most a tick later, and its timers are on the wheel.
func TestClockDoesWhatTheRealOneDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
		defer tm.Stop()
		for name, c := range map[string]clockwork.Clock{"real": clockwork.NewRealClock(), "wheel": NewClock(tm)} {
			start := c.Now()
			passed := func(d time.Duration) {
				require.WithinRange(t, c.Now(), start.Add(d), start.Add(d+time.Millisecond), name)
				require.Equal(t, c.Since(start), -c.Until(start), name)
				require.WithinRange(t, start.Add(c.Since(start)), start.Add(d), start.Add(d+time.Millisecond), name)
			}
			timer, ticker := c.NewTimer(time.Second), c.NewTicker(2*time.Second)
			called := make(chan struct{})
			f := c.AfterFunc(3*time.Second, func() { close(called) })
			require.Nil(t, f.Chan(), name)
			if name == "wheel" {
				require.Equal(t, 3, tm.Pending())
			}
			<-timer.Chan()
			passed(time.Second)
			<-ticker.Chan()
			passed(2 * time.Second)
			<-called
			passed(3 * time.Second)
			ticker.Reset(time.Second)
			<-ticker.Chan()
			ticker.Stop()
			passed(4 * time.Second)
			require.False(t, timer.Reset(time.Hour), name)
			require.True(t, timer.Stop(), name)
			<-c.After(time.Second)
			c.Sleep(time.Second)
			passed(6 * time.Second)
		}
		require.Zero(t, tm.Pending())
	})
}
