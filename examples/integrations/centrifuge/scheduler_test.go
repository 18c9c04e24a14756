package centrifuge

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/centrifugal/centrifuge"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

var _ centrifuge.TimerScheduler = Scheduler{}

func TestTimersOfClientsAreOnTheWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.StopAll()
		s, start, called := Scheduler{tm}, time.Now(), make(chan struct{})
		s.ScheduleTimer(25*time.Second, func() { close(called) })
		never := s.ScheduleTimer(25*time.Second, func() { t.Error("canceled, and called") })
		require.Equal(t, 2, tm.Pending())
		never.Cancel()
		<-called
		require.WithinRange(t, time.Now(), start.Add(25*time.Second), start.Add(25*time.Second+tm.Tick()))
		require.Zero(t, tm.Pending())
	})
}
