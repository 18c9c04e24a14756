package promises

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Pending releases the lock after each portion of queued timeouts. A batch that ends in between must not leave out a
// timeout that was moved earlier while it was in the batch. With -tags small the two coincide within a second or two.
func TestPendingCountsATimeoutThatIsMovedEarlierInABatch(t *testing.T) {
	const others = 32 * limits.Portion
	clock, tm := timertest.NewManual(hashedwheel.WithTick(timertest.Tick))
	defer tm.StopAll()
	var all []*hashedwheel.Timeout
	for range others + 2 {
		all = append(all, tm.AfterFunc(1000*time.Hour, timertest.Nop))
	}
	twins := all[others:]

	var quit atomic.Bool
	var counters sync.WaitGroup
	for range 4 {
		counters.Go(func() {
			for !quit.Load() && assert.GreaterOrEqual(t, tm.Pending(), others+1) {
			}
		})
	}
	lasting := timertest.Lasting(5 * time.Second)
	for begun, round := time.Now(), 0; time.Since(begun) < lasting && !t.Failed(); round++ {
		// One of the two is before the task in the batch, the other after it.
		twins[0].Reset(timertest.Tick)
		tm.NextDue() // files it
		tm.AfterFunc(timertest.Tick, func() {
			moved := twins[0]
			if moved.State() != hashedwheel.Pending {
				moved = twins[1]
			}
			moved.Reset(900 * time.Hour)
			for _, to := range all[:others] {
				to.Reset(999*time.Hour - time.Duration(round)*time.Second)
			}
			moved.Reset(time.Hour)
		})
		tm.NextDue()
		twins[1].Reset(timertest.Tick)
		clock.Advance(timertest.Tick)
	}
	quit.Store(true)
	counters.Wait()
}

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
