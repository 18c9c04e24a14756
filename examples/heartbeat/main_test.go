package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDeathsAndReturnsAreNoticed(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	require.Regexp(t, `\n\nok: +\d+ beats were on their grid, half of them less than .* late
 +\d+ deaths were noticed 350ms after the last beat, none early, half of them less than .* late
 +\d+ returns were noticed at the first beat\n$`, out.String())
}
