package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
)

// In a bubble, so that a busy machine does not lose a lease.
func TestRunLosesTheSameLeasesOnBothClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := exampletest.Output(t, run, "-nodes 101 -for 1s")
		require.Equal(t, 2, strings.Count(out, "11 leases lost"))
		time.Sleep(time.Second) // the leases of the other nodes expire
	})
}

func TestClockHasChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
		defer tm.Stop()
		c := onWheel(tm)
		start := c.Now()
		timer, ticker := c.NewTimer(time.Second), c.NewTicker(time.Second)
		defer ticker.Stop()
		for _, ch := range []<-chan time.Time{timer.C(), ticker.C()} {
			require.WithinRange(t, <-ch, start.Add(time.Second), start.Add(time.Second+time.Millisecond))
		}
		require.False(t, timer.Reset(time.Hour))
		require.True(t, timer.Stop())
		called := make(chan struct{})
		require.Nil(t, c.AfterFunc(time.Second, func() { close(called) }).C(), "as with RealClock")
		<-called
	})
}

func TestWrongFlagsAreNamed(t *testing.T) {
	for _, flags := range []string{"-nodes 0", "-for 1ms"} {
		var stderr strings.Builder
		require.Equal(t, 2, run(strings.Fields(flags), io.Discard, &stderr))
		require.Contains(t, stderr.String(), "at least: -nodes 1")
	}
}
