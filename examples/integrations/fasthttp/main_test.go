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

func TestRunKeepsTheTalkingAndClosesTheSilent(t *testing.T) {
	out := exampletest.Output(t, run, "-idle 2s") // a busy machine stands still for a while
	require.Equal(t, 1, strings.Count(out, " kept   after"))
	require.Equal(t, 3, strings.Count(out, " closed after"))
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-idle 1ms":  "-idle 1ms",
		"-idle 1h":   "-idle 1h",
		"-tick 99us": "-tick 99µs",
		"-tick 1s":   "-tick 1s",
	})
	require.Zero(t, run([]string{"-h"}, io.Discard, io.Discard), "help is no error")
}

// serving starts a server whose idle time is d.
func serving(t *testing.T, d time.Duration) *server {
	timer := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	t.Cleanup(func() { timer.Stop() })
	s, err := start(timer, d)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.stop() })
	return s
}

func TestEarlyCloseIsReported(t *testing.T) {
	_, err := clients[1].run(serving(t, 10*time.Millisecond), time.Second)
	require.ErrorContains(t, err, "early")
}

func TestForgottenConnectionIsReported(t *testing.T) {
	_, err := clients[1].run(serving(t, time.Hour), 20*time.Millisecond)
	require.ErrorContains(t, err, "was not closed")
}
