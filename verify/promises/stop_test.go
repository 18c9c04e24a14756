package promises

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// fileFar returns n timeouts that wait in the wheel for two hours.
func fileFar(tm *hashedwheel.Timer, n int) []hashedwheel.Timeout {
	all := make([]hashedwheel.Timeout, n)
	for i := range all {
		all[i].Init(tm, timertest.NopTask)
		all[i].Reset(2 * time.Hour)
	}
	tm.Pending()
	return all
}

// When State is Canceled because of Timer.StopAll, armings return ErrStopped, full or not.
func TestArmingDuringStopOfAFullTimerReturnsErrStopped(t *testing.T) {
	for round := range 300 {
		tm := timertest.New(hashedwheel.WithMaxPending(64))
		all := fileFar(tm, 64)
		own := timertest.Owned(tm, timertest.NopTask)
		refused := make(chan error)
		go func() {
			for all[round%64].State() == hashedwheel.Pending {
			}
			_, err := tm.Schedule(time.Hour, timertest.NopTask)
			refused <- fmt.Errorf("%w, %w, %w", err, own.Arm(time.Hour), own.Err())
		}()
		tm.StopAll()
		err := <-refused
		require.ErrorIs(t, err, hashedwheel.ErrStopped)
		require.NotErrorIs(t, err, hashedwheel.ErrFull)
	}
}
