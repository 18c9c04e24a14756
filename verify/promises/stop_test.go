package promises

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// armedEverywhere arms timeouts that end up wherever a timeout can be.
func armedEverywhere(tm *hashedwheel.Timer) (all []*hashedwheel.Timeout) {
	for _, d := range timertest.DelaysAround(8) {
		if d > 10*timertest.Tick {
			all = append(all, tm.AfterFunc(d, timertest.Nop))
		}
	}
	timertest.Pass(5*timertest.Tick + timertest.Tick/2) // files them
	moved := all[:3]
	for i, to := range moved {
		to.Reset(time.Duration(1+i) * 20 * time.Hour)
	}
	for range 1000 { // several portions
		all = append(all, tm.AfterFunc(time.Minute, timertest.Nop), tm.AfterFunc(1<<62, timertest.Nop))
	}
	return all
}

// occurrences returns how often each timeout is among all: ElementsMatch compares each with each.
func occurrences(all []*hashedwheel.Timeout) map[*hashedwheel.Timeout]int {
	times := map[*hashedwheel.Timeout]int{}
	for _, to := range all {
		times[to]++
	}
	return times
}

func TestNothingIsLostAtStop(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"8 buckets":   {hashedwheel.WithWheelSize(8)},
		"512 buckets": {},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				expired, stopped := tm.AfterFunc(timertest.Tick, timertest.Nop), tm.AfterFunc(time.Hour, timertest.Nop)
				all := armedEverywhere(tm)
				stopped.Stop()
				tm.AfterFunc(0, timertest.Nop).Stop()
				require.Equal(t, len(all), tm.Pending())
				all = append(all, tm.AfterFunc(0, timertest.Nop)) // is not filed
				assert.Equal(t, occurrences(all), occurrences(tm.Stop()))
				for _, to := range all {
					assert.Equal(t, hashedwheel.Canceled, to.State())
				}
				assert.Equal(t, hashedwheel.Expired, expired.State())
				assert.Empty(t, tm.Stop(), "a second time")
				timertest.Pass(time.Second)
				assert.Zero(t, tm.Pending())
				assert.Equal(t, hashedwheel.Canceled, stopped.State())
				assert.Equal(t, uint64(1), tm.Stats().Expired)
			}, opts...)
		})
	}
}

func TestNothingIsLostAtStopOfAnArmingThatIsTooLate(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := timertest.Owned(tm, timertest.NopTask)
		to.Reset(time.Hour)
		tm.Stop()
		assert.False(t, to.Reset(timertest.Tick))
		assert.Equal(t, hashedwheel.Rejected, to.State())
		assert.False(t, to.ResetAt(time.Now()))
		assert.False(t, to.Stop())
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(timertest.Tick, timertest.Nop).State())
		late, err := tm.Schedule(timertest.Tick, timertest.NopTask)
		assert.Nil(t, late)
		require.ErrorIs(t, err, hashedwheel.ErrStopped)
		timertest.Pass(time.Second)
		assert.Zero(t, tm.Stats().Expired)
		assert.Equal(t, uint64(4), tm.Stats().Rejected)
		assert.Zero(t, tm.Pending())
	})
}

// With -tags small the worker has taken a backlog from its producers, but filed little of it.
func TestNothingIsLostAtStopOfABacklog(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		left := 0
		tm.AfterFunc(10*timertest.Tick, func() { left = len(tm.Stop()) })
		tm.AfterFunc(5*timertest.Tick, func() { time.Sleep(5 * timertest.Tick) })
		time.Sleep(5*timertest.Tick + timertest.Tick/2)
		for range 1000 {
			tm.AfterFunc(time.Hour, timertest.Nop)
		}
		timertest.Pass(time.Minute)
		assert.Equal(t, 1000, left)
	}, timertest.OnWorker)
}

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
			refused <- fmt.Errorf("%w, %w, %w", err, own.Arm(time.Hour), own.Err())
		}()
		tm.Stop()
		err := <-refused
		require.ErrorIs(t, err, hashedwheel.ErrStopped)
		require.NotErrorIs(t, err, hashedwheel.ErrFull)
	}
}
