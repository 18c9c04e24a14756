package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunBarksOnBothClocks(t *testing.T) {
	var stdout, stderr strings.Builder
	require.Zero(t, run(strings.Fields("-members 100"), &stdout, &stderr))
	require.Empty(t, stderr.String())
	require.Equal(t, 2, strings.Count(stdout.String(), "100 barks"))
	require.Contains(t, stdout.String(), "ok: every watchdog barked")
}

// The same code runs on all three clocks.
func TestWatchdogsBarkOnAnyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
		defer tm.Stop()
		fake := clockwork.NewFakeClock()
		for name, clock := range map[string]clockwork.Clock{"real": clockwork.NewRealClock(), "wheel": onWheel(tm), "fake": fake} {
			w := newWatchdogs(clock, 3, time.Minute)
			pass := func(d time.Duration) {
				time.Sleep(d)
				fake.Advance(d)
				synctest.Wait()
			}
			pass(50 * time.Second)
			w.see(1)
			pass(15 * time.Second)
			require.EqualValues(t, 2, w.barks.Load(), name)
			pass(50 * time.Second)
			require.EqualValues(t, 3, w.barks.Load(), name)
			require.Zero(t, w.early.Load(), name)
		}
	})
}

func TestClockHasChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
		defer tm.Stop()
		clock := onWheel(tm)
		start := clock.Now()
		timer, ticker := clock.NewTimer(time.Second), clock.NewTicker(time.Second)
		defer ticker.Stop()
		for _, c := range []<-chan time.Time{timer.Chan(), ticker.Chan(), clock.After(time.Second)} {
			require.WithinRange(t, <-c, start.Add(time.Second), start.Add(time.Second+time.Millisecond))
		}
		require.False(t, timer.Reset(time.Hour))
		require.True(t, timer.Stop())
	})
}

func TestWrongFlagsAreNamed(t *testing.T) {
	var stderr strings.Builder
	require.Equal(t, 2, run(strings.Fields("-members 0"), io.Discard, &stderr))
	require.Contains(t, stderr.String(), "-members")
}
