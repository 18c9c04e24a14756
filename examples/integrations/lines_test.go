// Package integrations tests the README's rows without a file to copy.
package integrations

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/avast/retry-go/v5"
	"github.com/centrifugal/centrifuge"
	"github.com/go-co-op/gocron/v2"
	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/integrations/clockwork"
	"github.com/hashedwheel/hashedwheel/wheeltime"
	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"
)

// A scheduler is for Config.ClientTimerScheduler of centrifuge. Its Timer needs the default executor: callbacks may
// block.
type scheduler struct{ tm *hashedwheel.Timer }

func (s scheduler) ScheduleTimer(d time.Duration, f func()) centrifuge.TimerCanceler {
	return canceler{wheeltime.AfterFunc(s.tm, d, f)}
}

type canceler struct{ *wheeltime.Timer }

func (c canceler) Cancel() { c.Stop() }

// A kubeClock is a clock of Kubernetes whose NewTimer is on a wheel. NewTicker and AfterFunc can be added likewise.
type kubeClock struct {
	clock.RealClock
	tm *hashedwheel.Timer
}

func (c kubeClock) NewTimer(d time.Duration) clock.Timer {
	return kubeTimer{wheeltime.NewTimer(c.tm, d)}
}

type kubeTimer struct{ *wheeltime.Timer }

func (t kubeTimer) C() <-chan time.Time { return t.Timer.C }

var _ clock.WithTickerAndDelayedExecution = kubeClock{}

func TestLinesOfTheReadmeWaitOnTheWheel(t *testing.T) {
	for name, wait := range map[string]func(t *testing.T, tm *hashedwheel.Timer){ // each waits for a minute
		"centrifuge": func(t *testing.T, tm *hashedwheel.Timer) {
			called := make(chan struct{})
			scheduler{tm}.ScheduleTimer(time.Minute, func() { t.Error("canceled, and called") }).Cancel()
			scheduler{tm}.ScheduleTimer(time.Minute, func() { close(called) })
			<-called
		},
		"Kubernetes": func(_ *testing.T, tm *hashedwheel.Timer) { <-kubeClock{tm: tm}.NewTimer(time.Minute).C() },
		"robfig/cron": func(t *testing.T, tm *hashedwheel.Timer) {
			ran := make(chan struct{})
			schedule, err := cron.ParseStandard("* * * * *")
			require.NoError(t, err)
			series := tm.Recur(schedule, func(*hashedwheel.Series) { close(ran) })
			<-ran
			series.Stop()
		},
		"gocron": func(t *testing.T, tm *hashedwheel.Timer) {
			ran := make(chan struct{})
			cron, err := gocron.NewScheduler(gocron.WithClock(clockwork.NewClock(tm)))
			require.NoError(t, err)
			_, err = cron.NewJob(gocron.DurationJob(time.Minute), gocron.NewTask(func() { close(ran) }))
			require.NoError(t, err)
			cron.Start()
			<-ran
			require.NoError(t, cron.Shutdown())
		},
		"retry-go": func(t *testing.T, tm *hashedwheel.Timer) {
			attempts := 0
			delay := []retry.Option{retry.Delay(time.Minute), retry.DelayType(retry.FixedDelay), retry.Attempts(2)}
			retrier := retry.New(append(delay, retry.WithTimer(wheeltime.NewClock(tm)))...)
			require.NoError(t, retrier.Do(func() error {
				attempts++
				if attempts == 1 {
					return errors.New("again")
				}
				return nil
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := hashedwheel.MustNew()
				defer tm.StopAll()
				pending := make(chan int, 1)
				time.AfterFunc(30*time.Second, func() { pending <- tm.Pending() })
				start := time.Now()
				wait(t, tm)
				require.WithinRange(t, time.Now(), start.Add(time.Minute), start.Add(time.Minute+time.Millisecond))
				require.Equal(t, 1, <-pending)
			})
		})
	}
}
