package kubernetes

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"
)

// The wheel's clock does what the real one does, at most a tick later, and its timers are on the wheel.
func TestClockDoesWhatTheRealOneDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
		defer tm.Stop()
		clocks := map[string]clock.WithTickerAndDelayedExecution{"real": clock.RealClock{}, "wheel": NewClock(tm)}
		for name, c := range clocks {
			start := c.Now()
			passed := func(d time.Duration) {
				require.WithinRange(t, c.Now(), start.Add(d), start.Add(d+time.Millisecond), name)
				require.WithinRange(t, start.Add(c.Since(start)), start.Add(d), start.Add(d+time.Millisecond), name)
			}
			timer, ticker := c.NewTimer(time.Second), c.NewTicker(2*time.Second)
			called := make(chan struct{})
			f := c.AfterFunc(3*time.Second, func() { close(called) })
			require.Nil(t, f.C(), name)
			if name == "wheel" {
				require.Equal(t, 3, tm.Pending())
			}
			<-timer.C()
			passed(time.Second)
			<-ticker.C()
			passed(2 * time.Second)
			<-called
			passed(3 * time.Second)
			<-ticker.C()
			ticker.Stop()
			passed(4 * time.Second)
			require.False(t, timer.Reset(time.Hour), name)
			require.True(t, timer.Reset(2*time.Hour), name)
			require.True(t, timer.Stop(), name)
			<-c.After(time.Second)
			c.Sleep(time.Second)
			passed(6 * time.Second)
		}
		require.Zero(t, tm.Pending())
	})
}
