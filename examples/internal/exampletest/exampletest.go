// Package exampletest holds the parts that the tests of all examples share.
package exampletest

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Run is main with everything passed in. It returns the exit status.
type Run func(args []string, stdout, stderr io.Writer) int

// Output runs an example that must succeed, and returns its output.
func Output(t *testing.T, run Run, flags string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	status := run(strings.Fields(flags), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)
	return stdout.String()
}

// WrongFlags runs an example with each key of messages as its flags. The example must refuse
// them with a message that contains the value.
func WrongFlags(t *testing.T, run Run, messages map[string]string) {
	for flags, message := range messages {
		t.Run(flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), message)
		})
	}
}

// Row returns the first number in the row of the table that has the label.
func Row(t *testing.T, table, label string) int {
	t.Helper()
	n, err := strconv.Atoi(Columns(t, table, label)[0])
	require.NoError(t, err)
	return n
}

// Columns returns the fields in the row of the table that has the label.
func Columns(t *testing.T, table, label string) []string {
	t.Helper()
	for line := range strings.Lines(table) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), label+" "); ok {
			return strings.Fields(rest)
		}
	}
	require.Fail(t, "no such row", "%s in\n%s", label, table)
	return nil
}

// Error requires an error that contains message, or no error if message is empty.
func Error(t *testing.T, err error, message string) {
	t.Helper()
	if message == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, message)
}
