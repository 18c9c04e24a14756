package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// In a bubble the clock of the machine is virtual too.
func TestRunPlaysTheSceneOnBothClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stdout, stderr strings.Builder
		status := run(strings.Fields("-ttl 400ms"), &stdout, &stderr)
		require.Empty(t, stderr.String())
		require.Zero(t, status)
		require.Contains(t, stdout.String(), "fake clock: ttl 1h0m0s, stayed 1h30m0s, in 0s")
		require.Contains(t, stdout.String(), "real clock: ttl 400ms, stayed 600ms, in 600ms")
	})
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-ttl long", `"long" for flag -ttl`},
		{"-ttl 1ms", "-ttl 1ms"},
		{"-ttl 3s", "-ttl 3s"},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
}
