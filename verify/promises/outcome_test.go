package promises

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// race calls both in two goroutines that begin as nearly at the same time as possible, and waits for them.
func race(first, second func()) {
	var arrived atomic.Int32
	var both sync.WaitGroup
	for _, call := range []func(){first, second} {
		both.Go(func() {
			for arrived.Add(1); arrived.Load() < 2; {
				runtime.Gosched()
			}
			call()
		})
	}
	both.Wait()
}

// A timer with a bound of one refuses Arm while another call has the permit: then that call decides the outcome. It
// refuses neither Reset nor Arm of a pending timeout.
func TestOneOutcomePerArmingIfArmRacesWithAnotherCall(t *testing.T) {
	for name, c := range map[string]struct {
		isPending bool // before both
		other     func(to *hashedwheel.Timeout) error
		want      []hashedwheel.State
	}{
		"ArmAt": {
			other: func(to *hashedwheel.Timeout) error { return to.ArmAt(to.Timer().Now().Add(2 * time.Hour)) },
			want:  []hashedwheel.State{hashedwheel.Pending},
		},
		"Reset": {
			other: func(to *hashedwheel.Timeout) error { to.Reset(2 * time.Hour); return nil },
			want:  []hashedwheel.State{hashedwheel.Pending},
		},
		"Stop": {
			other: func(to *hashedwheel.Timeout) error { to.Stop(); return nil },
			want:  []hashedwheel.State{hashedwheel.Pending, hashedwheel.Canceled},
		},
		"Stop of a pending timeout": {
			isPending: true,
			other:     func(to *hashedwheel.Timeout) error { to.Stop(); return nil },
			want:      []hashedwheel.State{hashedwheel.Pending, hashedwheel.Canceled, hashedwheel.Rejected},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tm, refused := timertest.New(hashedwheel.WithMaxPending(1)), uint64(0)
			for range timertest.Lasting(5000) {
				to := timertest.Owned(tm, timertest.NopTask)
				if c.isPending {
					to.Reset(time.Hour)
				}
				var errs [2]error
				race(func() { errs[0] = to.Arm(time.Hour) }, func() { errs[1] = c.other(to) })
				for _, err := range errs {
					if err != nil {
						require.Equal(t, hashedwheel.ErrFull, err)
						refused++
					}
				}
				state := to.State()
				require.Contains(t, c.want, state)
				require.Equal(t, state == hashedwheel.Rejected, to.Err() != nil)
				require.Equal(t, state == hashedwheel.Pending, to.Stop())
				require.NoError(t, to.Arm(time.Hour), "each permit is returned")
				require.Equal(t, 1, tm.Pending(), "once")
				require.True(t, to.Stop())
			}
			assert.Equal(t, refused, tm.Stats().Rejected)
			assert.Empty(t, timertest.Shutdown(t, tm))
		})
	}
}

// When State is Canceled because of Timer.StopAll, armings return ErrStopped, full or not.
func TestArmingDuringStopOfAFullTimerReturnsErrStopped(t *testing.T) {
	for round := range 300 {
		tm := timertest.New(hashedwheel.WithMaxPending(64))
		all := make([]hashedwheel.Timeout, 64)
		for i := range all {
			all[i].Init(tm, timertest.NopTask).Reset(2 * time.Hour)
		}
		tm.Pending() // files them
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

// The permit of an expired timeout is returned before anybody sees that the timeout has expired. The windows of
// internal/overlay/wide make it likely that this test finds the opposite.
func TestOneOutcomePerArmingSoAnExpiredTimeoutFillsNoTimer(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1), hashedwheel.WithTick(100*time.Microsecond))
	defer tm.StopAll()
	for range timertest.Lasting(5000) {
		to := timertest.Owned(tm, timertest.NopTask)
		require.NoError(t, to.Arm(0))
		for to.State() == hashedwheel.Pending {
			runtime.Gosched()
		}
		next, err := tm.Schedule(time.Hour, timertest.NopTask)
		require.NoError(t, err)
		require.True(t, next.Stop())
	}
}
