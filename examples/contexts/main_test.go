package main

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunPrintsEveryClaim(t *testing.T) {
	out := exampletest.Output(t, run, "-contexts 2001 -limit 100ms -tick 2ms -benchtime 2ms")
	require.Equal(t, 2001, exampletest.Row(t, out, "contexts made"))
	require.Equal(t, 2001, exampletest.Row(t, out, "canceled before")+exampletest.Row(t, out, "ended by the timer"))
	require.Equal(t, 2001, exampletest.Row(t, out, "stopped when it was canceled"))
	require.Zero(t, exampletest.Row(t, out, "timeouts left"))
	require.Regexp(t, `context.WithTimeout +\d+ ns, [1-9]\d* allocations +\d+ ns`, out)
	require.Regexp(t, `an owned Timeout +\d+ ns, 0 allocations`, out)
	for _, c := range claims {
		require.Contains(t, out, c.what)
	}
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-contexts 1":   "-contexts 1",
		"-limit 0s":     "-limit 0s",
		"-limit 3s":     "-limit 3s",
		"-benchtime 2s": "-benchtime 2s",
		"-tick 99us":    "-tick 99µs",
		"-tick 2s":      "-tick 2s",
	})
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
			r := &report{made: 3, canceled: 1, late: []time.Duration{0, 1}, tied: 7, stopped: 7}
			tt.spoil(r)
			exampletest.Error(t, r.verdict(), tt.want)
		})
	}
}
