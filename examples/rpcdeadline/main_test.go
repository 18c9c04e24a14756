package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryCallEndsOnceAndNoneEarly(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	require.Regexp(t, `\n\nok: +\d+ calls were answered in time
 +\d+ ended at the deadline, none early, half of them less than [1-9].* late
 +\d+ ns, 0 allocations: the cost of a stopped deadline\n$`, out.String())
}
