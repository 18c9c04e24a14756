// Package clocks shows libraries that take a wheel's clock without an adapter, one line for each, and tests them.
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
	"github.com/hashedwheel/hashedwheel/examples/integrations/kubernetes"
	"github.com/hashedwheel/hashedwheel/wheeltime"
	"github.com/stretchr/testify/require"
	"go.uber.org/ratelimit"
)

// timed runs f in a bubble, and checks that f takes from d to d + late, and that one timeout is pending halfway.
func timed(t *testing.T, d, late time.Duration, f func(t *testing.T, tm *hashedwheel.Timer)) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.StopAll()
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

func TestTimersOfTheClocksAreOnTheWheel(t *testing.T) {
	const d = time.Second
	for name, wait := range map[string]func(tm *hashedwheel.Timer){
		"clockwork.NewTimer":  func(tm *hashedwheel.Timer) { <-clockwork.NewClock(tm).NewTimer(d).Chan() },
		"kubernetes.NewTimer": func(tm *hashedwheel.Timer) { <-kubernetes.NewClock(tm).NewTimer(d).C() },
		"clockwork.NewTicker": func(tm *hashedwheel.Timer) {
			ticker := clockwork.NewClock(tm).NewTicker(d)
			<-ticker.Chan()
			ticker.Stop()
		},
		"kubernetes.NewTicker": func(tm *hashedwheel.Timer) {
			ticker := kubernetes.NewClock(tm).NewTicker(d)
			<-ticker.C()
			ticker.Stop()
		},
		"clockwork.AfterFunc": func(tm *hashedwheel.Timer) {
			called := make(chan struct{})
			clockwork.NewClock(tm).AfterFunc(d, func() { close(called) })
			<-called
		},
		"kubernetes.AfterFunc": func(tm *hashedwheel.Timer) {
			called := make(chan struct{})
			kubernetes.NewClock(tm).AfterFunc(d, func() { close(called) })
			<-called
		},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, d, time.Millisecond, func(_ *testing.T, tm *hashedwheel.Timer) { wait(tm) })
		})
	}
}

// A retry waits for After's channel, whose timeout stays pending if the context ends first.
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

// At more than one call per tick, calls are made in one burst per tick. The default slack evens this out up to twelve
// calls per tick.
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
