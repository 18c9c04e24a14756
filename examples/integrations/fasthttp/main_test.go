package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

func TestRunKeepsWhoTalksAndClosesTheRest(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-idle 400ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)
	require.Equal(t, 1, strings.Count(stdout.String(), " kept   after"))
	require.Equal(t, 3, strings.Count(stdout.String(), " closed after"))
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-idle 1ms", "-idle 1ms"},
		{"-idle 1h", "-idle 1h"},
		{"-tick 99us", "-tick 99µs"},
		{"-tick 1s", "-tick 1s"},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
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

func TestAnEarlyCloseIsNoticed(t *testing.T) {
	_, err := clients[1].run(serving(t, 10*time.Millisecond), time.Second)
	require.ErrorContains(t, err, "early")
}

func TestAForgottenConnectionIsNoticed(t *testing.T) {
	_, err := clients[1].run(serving(t, time.Hour), 20*time.Millisecond)
	require.ErrorContains(t, err, "was not closed")
}
