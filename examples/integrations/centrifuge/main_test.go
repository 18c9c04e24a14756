package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
)

func TestRunPingsEachClientFromTheWheel(t *testing.T) {
	out := exampletest.Output(t, run, "-clients 200 -interval 1s -pings 2")
	require.Contains(t, out, "200 clients, 200 timers on the wheel")
	require.Contains(t, out, "all disconnected: 0 timers left on the wheel")
	require.Contains(t, out, "ok: every client got its pings")
}

func TestCanceledTimerDoesNotRun(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()
	canceled := scheduler{tm}.ScheduleTimer(5*time.Millisecond, func() { t.Error("ran though canceled") })
	ran := make(chan struct{})
	scheduler{tm}.ScheduleTimer(20*time.Millisecond, func() { close(ran) })
	canceled.Cancel()
	<-ran
	require.Zero(t, tm.Pending())
}

func TestWrongFlagsAreNamed(t *testing.T) {
	for _, flags := range []string{"-clients 0", "-interval 1ms", "-pings 1"} {
		var stderr strings.Builder
		require.Equal(t, 2, run(strings.Fields(flags), io.Discard, &stderr))
		require.Contains(t, stderr.String(), "at least: -clients 1")
	}
}
