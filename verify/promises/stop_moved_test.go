package promises

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

// requireAccounted checks that a timeout whose Reset returned true is in a result of Stop, and that
// a timeout whose Reset returned false has an Err.
func requireAccounted(t *testing.T, all []hashedwheel.Timeout, moved []bool, left []*hashedwheel.Timeout) {
	t.Helper()
	returned := make(map[*hashedwheel.Timeout]bool, len(left))
	for _, to := range left {
		require.False(t, returned[to], "returned twice")
		returned[to] = true
	}
	for i := range all {
		to := &all[i]
		switch {
		case moved[i]:
			require.True(t, returned[to], "timeout %d was moved, is %v, and is in no result", i, to.State())
		case !returned[to]:
			require.ErrorIs(t, to.Err(), hashedwheel.ErrStopped, "timeout %d is %v", i, to.State())
		}
	}
}

func TestNothingIsLostAtStopIfTimeoutsAreMovedEarlierDuringIt(t *testing.T) {
	for round := range 3 {
		tm := timertest.New()
		all := fileFar(tm, 100_000)
		moved := make([]bool, len(all))
		var movers sync.WaitGroup
		for part := range 4 {
			movers.Go(func() {
				for i := part; i < len(all); i += 4 {
					moved[i] = all[i].Reset(time.Hour - time.Duration(round)*time.Minute)
				}
			})
		}
		left := tm.Stop()
		movers.Wait()
		requireAccounted(t, all, moved, append(left, tm.Stop()...))
	}
}

// A Stop of the caller and a Reset meet a push of the mover that is refused.
func TestNothingIsLostAtStopIfTimeoutsAreMovedAndStoppedAndArmed(t *testing.T) {
	for range 20 {
		tm := timertest.New()
		all := fileFar(tm, 5000)
		var callers sync.WaitGroup
		callers.Go(func() {
			for i := range all {
				all[i].Reset(time.Hour)
			}
		})
		callers.Go(func() {
			for i := range all {
				all[i].Stop()
				all[i].Reset(time.Minute)
			}
		})
		left := tm.Stop()
		callers.Wait()
		left = append(left, tm.Stop()...)
		assert.Zero(t, tm.Pending())
		returned := map[*hashedwheel.Timeout]bool{}
		for _, to := range left {
			returned[to] = true
		}
		for i := range all {
			to := &all[i]
			require.NotEqual(t, hashedwheel.Pending, to.State(), "timeout %d", i)
			require.True(t, returned[to] || to.Err() != nil || to.State() == hashedwheel.Canceled, "timeout %d is %v", i, to)
		}
	}
}

// When State is Canceled because of Timer.Stop, armings return ErrStopped, full or not.
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
			own.Reset(time.Hour)
			refused <- fmt.Errorf("%w, %w", err, own.Err())
		}()
		tm.Stop()
		err := <-refused
		require.ErrorIs(t, err, hashedwheel.ErrStopped)
		require.NotErrorIs(t, err, hashedwheel.ErrFull)
	}
}
