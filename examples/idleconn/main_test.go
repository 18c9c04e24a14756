package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSilentConnectionsAreClosedAndBusyOnesStayOpen(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	require.Regexp(t, `\n\nok: +\d+ silent connections were closed after 1s, none early, half .* less than [1-9].* late
 +\d+ talking ones were kept
 +\d+ reads moved timeouts; the timer woke \d+ times\n$`, out.String())
}
