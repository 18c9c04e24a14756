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
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// arms are the two ways to arm a Timeout that a full timer refuses.
var arms = map[string]func(to *hashedwheel.Timeout, d time.Duration) error{
	"Arm":   func(to *hashedwheel.Timeout, d time.Duration) error { return to.Arm(d) },
	"ArmAt": func(to *hashedwheel.Timeout, d time.Duration) error { return to.ArmAt(to.Timer().Now().Add(d)) },
}

// It needs no second permit, and cannot be refused.
func TestArmOfAPendingTimeoutMovesIt(t *testing.T) {
	for name, arm := range arms {
		for _, first := range []time.Duration{time.Second, time.Hour} {
			t.Run(name, func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					var log timertest.RunLog
					to := timertest.Owned(tm, &log)
					require.NoError(t, arm(to, first))
					tm.AfterFunc(24*time.Hour, timertest.Nop) // beyond the bound
					timertest.Pass(time.Second / 2)
					due := time.Now().Add(time.Minute)
					require.NoError(t, arm(to, time.Minute))
					assert.Equal(t, hashedwheel.Pending, to.State())
					assert.True(t, to.Deadline().Equal(due))
					assert.Equal(t, 2, tm.Pending())
					assert.Zero(t, tm.Stats().Rejected)
					timertest.Pass(2 * time.Hour)
					require.Len(t, log.Times(), 1)
					assert.WithinRange(t, log.Times()[0], due, due.Add(timertest.Tick))
				}, hashedwheel.WithMaxPending(1))
			})
		}
	}
}

func isFull(tm *hashedwheel.Timer) bool {
	to, err := tm.Schedule(time.Hour, timertest.NopTask)
	if to != nil {
		to.Stop()
	}
	return err == hashedwheel.ErrFull
}

// Each call counts until its outcome: calls that return an error are refused meanwhile.
func TestCallsThatCannotBeRefusedCountBeyondTheBound(t *testing.T) {
	series := func(s *hashedwheel.Series) func() { return func() { s.Stop() } }
	pass := func() { timertest.Pass(2 * time.Second) }
	for name, arm := range map[string]func(tm *hashedwheel.Timer) (end func()){
		"AfterFunc": func(tm *hashedwheel.Timer) func() { tm.AfterFunc(time.Second, timertest.Nop); return pass },
		"AfterFunc, then Stop": func(tm *hashedwheel.Timer) func() {
			to := tm.AfterFunc(time.Second, timertest.Nop)
			return func() { to.Stop() }
		},
		"Reset": func(tm *hashedwheel.Timer) func() {
			timertest.Owned(tm, timertest.NopTask).Reset(time.Second)
			return pass
		},
		"ResetAt": func(tm *hashedwheel.Timer) func() {
			timertest.Owned(tm, timertest.NopTask).ResetAt(tm.Now().Add(time.Second))
			return pass
		},
		"Reset after a refusal": func(tm *hashedwheel.Timer) func() {
			to := timertest.Owned(tm, timertest.NopTask)
			require.ErrorIs(t, to.Arm(time.Second), hashedwheel.ErrFull)
			to.Reset(time.Second)
			require.NoError(t, to.Err())
			return pass
		},
		"After": func(tm *hashedwheel.Timer) func() { tm.After(time.Second); return pass },
		"Every": func(tm *hashedwheel.Timer) func() {
			return series(tm.Every(time.Second, func(*hashedwheel.Series) {}))
		},
		"EveryFrom": func(tm *hashedwheel.Timer) func() {
			return series(tm.EveryFrom(tm.Now(), time.Second, func(*hashedwheel.Series) {}))
		},
		"wheeltime.NewTimer": func(tm *hashedwheel.Timer) func() {
			timer := wheeltime.NewTimer(tm, time.Second)
			return func() { timer.Stop() }
		},
		"wheeltime.NewTicker": func(tm *hashedwheel.Timer) func() {
			ticker := wheeltime.NewTicker(tm, time.Second)
			return func() { ticker.Stop() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				other, err := tm.Schedule(24*time.Hour, timertest.NopTask)
				require.NoError(t, err)
				end := arm(tm)
				rejected := tm.Stats().Rejected
				assert.Equal(t, 2, tm.Pending())
				assert.True(t, isFull(tm))
				assert.True(t, other.Stop())
				assert.Equal(t, 1, tm.Pending())
				assert.True(t, isFull(tm), "it counts")
				owned := timertest.Owned(tm, timertest.NopTask)
				assert.ErrorIs(t, owned.Arm(time.Hour), hashedwheel.ErrFull)
				assert.ErrorIs(t, owned.ArmAt(tm.Now()), hashedwheel.ErrFull)
				assert.Equal(t, rejected+4, tm.Stats().Rejected, "two of Schedule, Arm, ArmAt")
				end()
				assert.Zero(t, tm.Pending())
				assert.False(t, isFull(tm), "its outcome returns its permit")
				assert.Equal(t, rejected+4, tm.Stats().Rejected)
			}, hashedwheel.WithMaxPending(1))
		})
	}
}

// race calls both in two goroutines that begin at the same time, as far as that can be had, and waits for them.
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

// Both take a permit, or one is refused while the other is under way with the last: then the timeout is pending.
func TestOneOutcomePerArmingIfTwoGoroutinesArmATimeout(t *testing.T) {
	for name, arm := range arms {
		t.Run(name, func(t *testing.T) {
			for bound := range 3 { // 0: none
				tm, refused := timertest.New(hashedwheel.WithMaxPending(bound)), uint64(0)
				for range timertest.Lasting(5000) {
					to := timertest.Owned(tm, timertest.NopTask)
					var errs [2]error
					race(func() { errs[0] = arm(to, time.Hour) }, func() { errs[1] = arm(to, 2*time.Hour) })
					for _, err := range errs {
						if err != nil {
							require.Equal(t, hashedwheel.ErrFull, err)
							require.Equal(t, 1, bound)
							refused++
						}
					}
					require.Equal(t, hashedwheel.Pending, to.State())
					require.NoError(t, to.Err())
					require.True(t, to.Stop())
					require.False(t, isFull(tm))
				}
				assert.Equal(t, refused, tm.Stats().Rejected)
				assert.Empty(t, timertest.Shutdown(t, tm))
			}
		})
	}
}

// Reset takes a permit beyond the bound, if it needs one. So Arm may be refused, but the timeout is pending.
func TestOneOutcomePerArmingIfArmRacesWithReset(t *testing.T) {
	for name, arm := range arms {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(hashedwheel.WithMaxPending(1))
			defer timertest.Shutdown(t, tm)
			for range timertest.Lasting(5000) {
				to := timertest.Owned(tm, timertest.NopTask)
				var err error
				var was bool
				race(func() { err = arm(to, time.Hour) }, func() { was = to.Reset(2 * time.Hour) })
				if err != nil {
					require.Equal(t, hashedwheel.ErrFull, err)
					require.False(t, was)
				}
				require.Equal(t, hashedwheel.Pending, to.State())
				require.NoError(t, to.Err())
				require.Equal(t, 1, tm.Pending())
				require.True(t, to.Stop())
				require.False(t, isFull(tm))
			}
		})
	}
}

// Arm moves a pending timeout before Stop, or arms it after that, or is refused since Stop has not returned the permit.
func TestOneOutcomePerArmingIfArmRacesWithStop(t *testing.T) {
	for name, arm := range arms {
		for _, was := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, pending: %v", name, was), func(t *testing.T) {
				tm := timertest.New(hashedwheel.WithMaxPending(1))
				defer timertest.Shutdown(t, tm)
				for range timertest.Lasting(5000) {
					to := timertest.Owned(tm, timertest.NopTask)
					if was {
						to.Reset(time.Hour)
					}
					var err error
					var stopped bool
					race(func() { err = arm(to, 2*time.Hour) }, func() { stopped = to.Stop() })
					switch to.State() {
					case hashedwheel.Pending:
						require.NoError(t, err)
						require.Equal(t, was, stopped)
						require.True(t, to.Stop())
					case hashedwheel.Canceled:
						require.NoError(t, err)
						require.True(t, stopped)
					default:
						require.Equal(t, hashedwheel.Rejected, to.State())
						require.Equal(t, hashedwheel.ErrFull, err)
						require.Equal(t, hashedwheel.ErrFull, to.Err())
						require.True(t, was && stopped)
					}
					require.Zero(t, tm.Pending())
					require.False(t, isFull(tm))
				}
			})
		}
	}
}

// The timeout that Arm arms expires, is returned by Timer.Stop, or has been refused for that.
func TestOneOutcomePerArmingIfArmRacesWithTheTimersStop(t *testing.T) {
	outcomes := make(map[string]int)
	for i := range int(timertest.Lasting(5000)) {
		tm, ran := timertest.New(timertest.Inline, hashedwheel.WithMaxPending(1)), atomic.Int32{}
		to := ownedFunc(tm, func() { ran.Add(1) })
		var err error
		var left []*hashedwheel.Timeout
		arm := func() {
			if i%4 < 2 {
				err = to.Arm(0)
			} else {
				err = to.ArmAt(tm.Now().Add(time.Hour))
			}
		}
		stop := func() { left = tm.Stop() }
		if i%2 == 0 { // on one processor the goroutine that was started first begins, mostly
			race(arm, stop)
		} else {
			race(stop, arm)
		}
		timertest.Shutdown(t, tm)
		switch {
		case err == nil && len(left) == 1:
			require.Same(t, to, left[0])
			require.Equal(t, hashedwheel.Canceled, to.State())
			require.Zero(t, ran.Load())
			outcomes["returned"]++
		case err == nil:
			require.Equal(t, hashedwheel.Expired, to.State())
			require.EqualValues(t, 1, ran.Load())
			outcomes["ran"]++
		default:
			require.Equal(t, hashedwheel.ErrStopped, err)
			require.Equal(t, hashedwheel.ErrStopped, to.Err())
			require.Empty(t, left)
			require.EqualValues(t, 1, tm.Stats().Rejected)
			require.Zero(t, ran.Load())
			outcomes["refused"]++
		}
	}
	assert.Positive(t, outcomes["returned"])
	assert.Positive(t, outcomes["refused"])
	t.Log(outcomes)
}
