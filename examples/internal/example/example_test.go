package example

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// count is a Program that shows a number, which must be positive and not 13.
func count(args string) (status int, stdout, stderr string) {
	var n int
	var out, told strings.Builder
	status = Program{
		Name:  "count",
		Flags: func(flags *flag.FlagSet) { flags.IntVar(&n, "n", 1, "`number`") },
		Check: func() error {
			if n <= 0 {
				return errors.New("-n must be positive")
			}
			return nil
		},
		Show: func(stdout io.Writer) error {
			if n == 13 {
				return errors.New("bad luck")
			}
			_, err := io.WriteString(stdout, strings.Repeat("I", n)+"\n")
			return err
		},
		Held: "counted",
	}.Run(strings.Fields(args), &out, &told)
	return status, out.String(), told.String()
}

func TestRun(t *testing.T) {
	tests := []struct {
		args           string
		status         int
		stdout, stderr string // what it is, and what is in it
	}{
		{"", 0, "I\n\nok: counted\n", ""},
		{"-n 3", 0, "III\n\nok: counted\n", ""},
		{"-n 13", 1, "", "count: bad luck\n"},
		{"-n 0", 2, "", "count: -n must be positive\n"},
		{"-n many", 2, "", `"many" for flag -n`},
		{"-colour red", 2, "", "-colour"},
		{"now", 2, "", "count: unexpected argument \"now\"\n"},
		{"-h", 0, "", "-n number"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			status, stdout, stderr := count(tt.args)
			require.Equal(t, tt.status, status)
			require.Equal(t, tt.stdout, stdout)
			require.Contains(t, stderr, tt.stderr)
			require.Equal(t, tt.stderr == "", stderr == "")
		})
	}
}

func TestSpread(t *testing.T) {
	require.Equal(t, "none", Spread(nil))
	var d []time.Duration
	for i := 200; i >= 0; i-- {
		d = append(d, time.Duration(i)*time.Millisecond)
	}
	require.Equal(t, "min 0s, p50 100ms, p99 198ms, max 200ms", Spread(d))
	require.Equal(t, "min 10µs, p50 10µs, p99 10µs, max 10µs", Spread([]time.Duration{12345}))
}
