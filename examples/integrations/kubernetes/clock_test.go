package kubernetes

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

func TestTimersOfTheClockAreOnTheWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		c := NewClock(tm)
		start, called := c.Now(), make(chan struct{})
		timer, ticker := c.NewTimer(time.Second), c.NewTicker(2*time.Second)
		c.AfterFunc(3*time.Second, func() { close(called) })
		require.Equal(t, 3, tm.Pending())
		<-timer.C()
		<-ticker.C()
		<-called
		require.WithinRange(t, c.Now(), start.Add(3*time.Second), start.Add(3*time.Second+tm.Tick()))
		require.True(t, c.AfterFunc(time.Hour, func() {}).Stop())
		ticker.Stop()
		require.Zero(t, tm.Pending())
	})
}
