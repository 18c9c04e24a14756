package main

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunShowsWhatHolds(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-contexts 2001 -limit 100ms -tick 2ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)

	out := stdout.String()
	require.Equal(t, 2001, row(t, out, "contexts made"))
	require.Equal(t, 2001, row(t, out, "cancelled before")+row(t, out, "ended by the wheel"))
	require.Equal(t, 2001, row(t, out, "stopped when it was cancelled"))
	require.Zero(t, row(t, out, "timeouts left"))
	for _, c := range claims {
		require.Contains(t, out, c.what)
	}
}

// row returns the number in the row of the table that has the label.
func row(t *testing.T, table, label string) int {
	t.Helper()
	for line := range strings.Lines(table) {
		if rest, ok := strings.CutPrefix(line, label+" "); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(t, err)
			return n
		}
	}
	require.Fail(t, "no such row", "%s in\n%s", label, table)
	return 0
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-contexts 1", "-contexts 1"},
		{"-limit 0s", "-limit 0s"},
		{"-limit 3s", "-limit 3s"},
		{"-tick 99us", "-tick 99µs"},
		{"-tick 2s", "-tick 2s"},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		spoil func(*report)
		want  string // in the error; none if empty
	}{
		"all is well":              {func(*report) {}, ""},
		"a context ended early":    {func(r *report) { r.late[1] = -1 }, "1ns early"},
		"a context went missing":   {func(r *report) { r.made = 5 }, "5 contexts made"},
		"a timeout not stopped":    {func(r *report) { r.stopped = 6 }, "6 stopped"},
		"a stopped timeout ran":    {func(r *report) { r.ran = 1 }, "1 timeouts ran"},
		"a timeout left behind":    {func(r *report) { r.left = 1 }, "1 timeouts left"},
		"more than one went wrong": {func(r *report) { r.ran, r.left = 1, 1 }, "stopped\n1 timeouts left"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &report{made: 3, cancelled: 1, late: []time.Duration{0, 1}, tied: 7, stopped: 7}
			tt.spoil(r)
			err := r.verdict()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}
