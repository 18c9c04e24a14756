package main

import (
	"io"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunReportsEveryLateCall(t *testing.T) {
	out := exampletest.Output(t, run, "-callers 4 -limit 40ms -duration 300ms")
	require.Contains(t, out, "late:     /grpc.health.v1.Health/Check in flight for ")
	require.Regexp(t, `returned: /grpc.health.v1.Health/Check after .*, OK`, out)
	require.Regexp(t, `returned: /grpc.health.v1.Health/Check after .*, DeadlineExceeded`, out)
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-callers 0":             "-callers 0",
		"-limit 1us":             "-limit 1µs",
		"-limit 1s":              "-limit 1s",
		"-tick 99us":             "-tick 99µs",
		"-limit 10ms -tick 20ms": "-tick 20ms",
		"-duration 0s":           "-duration 0s",
		"-duration 1h":           "-duration 1h",
	})
}

func TestVerdict(t *testing.T) {
	good := func() *report {
		return &report{
			limit: 10, fast: 9, slow: 1, hung: 1, expired: 2,
			late: []time.Duration{10, 11}, returned: []time.Duration{30, 40},
		}
	}
	require.NoError(t, good().verdict())

	tests := map[string]struct {
		spoil func(*report)
		want  string
	}{
		"a late call not reported": {func(r *report) { r.slow = 2 }, "2 calls reported late, but 3 were"},
		"a call reported early":    {func(r *report) { r.late[0] = 9 }, "before the limit"},
		"a call reported twice":    {func(r *report) { r.late = append(r.late, 12) }, "but 2 timeouts expired"},
		"a call that never ended":  {func(r *report) { r.returned = r.returned[1:] }, "of which 1 returned"},
		"a call that failed":       {func(r *report) { r.failed = []error{io.EOF} }, "EOF"},
		"a timeout left behind":    {func(r *report) { r.left = 1 }, "outlived"},
		"no late call":             {func(r *report) { *r = report{fast: 9} }, "nothing was shown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.spoil(r)
			require.ErrorContains(t, r.verdict(), tt.want)
		})
	}
}
