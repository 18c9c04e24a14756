package main

import (
	"testing"
	"testing/synctest"

	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
)

// In a bubble the real clock is virtual as well.
func TestRunPlaysTheSceneOnBothClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := exampletest.Output(t, run, "-ttl 400ms")
		require.Contains(t, out, "fake clock: ttl 1h0m0s, stayed 1h30m0s, in 0s")
		require.Contains(t, out, "real clock: ttl 400ms, stayed 600ms, in 600ms")
	})
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-ttl long": `"long" for flag -ttl`,
		"-ttl 1ms":  "-ttl 1ms",
		"-ttl 3s":   "-ttl 3s",
	})
}
