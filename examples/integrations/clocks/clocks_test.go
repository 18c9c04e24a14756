// Package clocks shows libraries that take a clock as it is: one line for each.
package clocks

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/avast/retry-go/v5"
	"github.com/go-co-op/gocron/v2"
	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/integrations/clockwork"
	"github.com/hashedwheel/hashedwheel/wheeltime"
	"github.com/stretchr/testify/require"
	"go.uber.org/ratelimit"
)

// timed runs f in a bubble and checks that it takes between d and late more. Meanwhile a timeout is pending.
func timed(t *testing.T, d, late time.Duration, f func(t *testing.T, tm *hashedwheel.Timer)) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		pending := make(chan int, 1)
		time.AfterFunc(d/2+300*time.Microsecond, func() { // between two ticks
			pending <- tm.Pending()
		})
		start := time.Now()
		f(t, tm)
		took := time.Since(start)
		require.GreaterOrEqual(t, took, d)
		require.LessOrEqual(t, took, d+late)
		require.Equal(t, 1, <-pending)
	})
}

// A retry waits for the channel of After, which stays pending if the context ends before.
func TestRetryGo(t *testing.T) {
	timed(t, time.Second, time.Millisecond, func(t *testing.T, tm *hashedwheel.Timer) {
		attempts := 0
		retrier := retry.New(
			retry.WithTimer(wheeltime.NewClock(tm)),
			retry.Attempts(2), retry.Delay(time.Second), retry.DelayType(retry.FixedDelay),
		)
		require.NoError(t, retrier.Do(func() error {
			attempts++
			if attempts == 1 {
				return errors.New("again")
			}
			return nil
		}))
	})
}

// With a rate of more than one a tick calls come in bursts, one a tick. The default slack evens that out up to twelve
// calls a tick.
func TestRateLimit(t *testing.T) {
	for _, rate := range []int{1, 100, 12_000} {
		timed(t, time.Second, 2*time.Millisecond, func(t *testing.T, tm *hashedwheel.Timer) {
			limiter := ratelimit.New(rate, ratelimit.WithClock(wheeltime.NewClock(tm)))
			for range rate + 1 {
				limiter.Take()
			}
		})
	}
}

// The clock is clockwork's, on a wheel.
func TestGocron(t *testing.T) {
	timed(t, time.Minute, time.Millisecond, func(t *testing.T, tm *hashedwheel.Timer) {
		scheduler, err := gocron.NewScheduler(gocron.WithClock(clockwork.NewClock(tm)))
		require.NoError(t, err)
		ran := make(chan struct{})
		_, err = scheduler.NewJob(gocron.DurationJob(time.Minute), gocron.NewTask(func() { close(ran) }))
		require.NoError(t, err)
		scheduler.Start()
		<-ran
		require.NoError(t, scheduler.Shutdown())
	})
}
