package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test binary also runs as the workers of a test.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-worker") {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

func TestRunLosesNoJobOfAKilledWorker(t *testing.T) {
	out := exampletest.Output(t, run, "-jobs 120 -spread 1500ms -horizon 300ms")
	require.Regexp(t, `worker one killed, with [1-9]\d* claimed jobs`, out)
	require.Regexp(t, `worker two ended, and gave back [1-9]\d* claimed jobs`, out)
	require.Regexp(t, `jobs lost +0\n`, out)
	require.Regexp(t, `jobs given up +1, after [1-9]`, out)
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-jobs 49":      "-jobs 49",
		"-horizon 1ms":  "-horizon 1ms",
		"-horizon 1m":   "-horizon 1m",
		"-spread 999ms": "-spread 999ms",
		"-spread 5s":    "-spread 5s",
		"-worker one":   `-worker "one"`,
	})
}

func TestWorkerWithoutServerFails(t *testing.T) {
	var stderr strings.Builder
	status := run([]string{"-worker", "one", "-server", "nats://127.0.0.1:1"}, io.Discard, &stderr)
	require.Equal(t, 1, status)
	require.NotEmpty(t, stderr.String())
}

func TestJournalCountsTheJobsOfADeadWorker(t *testing.T) {
	j := newJournal()
	for _, line := range []string{"ready", "claimed 1 0", "claimed 2 0", "claimed 3 0", "ran 1 5", "returned 2 0"} {
		j.add(parseEvent("one", line))
	}
	require.True(t, j.isReady(1))
	require.Equal(t, 1, j.gaveBack("one"))
	require.Equal(t, 1, j.died("one"))

	j.add(parseEvent("two", "ran 2 6"))
	j.add(parseEvent("two", "ran 3 7"))
	require.True(t, j.isDone(3))
	require.Equal(t, []time.Duration{5, 6}, j.onTime)
	require.Equal(t, []time.Duration{7}, j.late)
}

func TestVerdict(t *testing.T) {
	good := func() *report {
		return &report{
			jobs: 10, ran: 9, givenUp: 1, held: 2, returned: 1,
			onTime: []time.Duration{0, 1}, late: []time.Duration{1, 2},
		}
	}
	require.NoError(t, good().verdict())

	tests := map[string]struct {
		spoil func(*report)
		want  string
	}{
		"a job lost":             {func(r *report) { r.ran = 8 }, "1 jobs lost of 10"},
		"a good job given up":    {func(r *report) { r.ran, r.givenUp = 8, 2 }, "2 jobs given up"},
		"a job not acknowledged": {func(r *report) { r.kept = 1 }, "still in the stream"},
		"a job early":            {func(r *report) { r.onTime[0] = -1 }, "1ns early"},
		"a job not taken over":   {func(r *report) { r.late = r.late[1:] }, "1 jobs taken over, of 2"},
		"a kill without effect":  {func(r *report) { r.held = 0 }, "held no job"},
		"an end without effect":  {func(r *report) { r.returned = 0 }, "gave nothing back"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.spoil(r)
			require.ErrorContains(t, r.verdict(), tt.want)
		})
	}
}
