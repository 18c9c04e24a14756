package example

import (
	"errors"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// count runs a Program whose number must be positive and not 13.
func count(args string) (status int, stdout, stderr string) {
	var n int
	var out, diagnostics strings.Builder
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
	}.Run(strings.Fields(args), &out, &diagnostics)
	return status, out.String(), diagnostics.String()
}

func TestRun(t *testing.T) {
	tests := []struct {
		args           string
		status         int
		stdout, stderr string // the whole output; a part of the error output
	}{
		{"", 0, "I\n\nok: counted\n", ""},
		{"-n 3", 0, "III\n\nok: counted\n", ""},
		{"-n 13", 1, "", "count: bad luck\n"},
		{"-n 0", 2, "", "count: -n must be positive\n"},
		{"-n many", 2, "", `"many" for flag -n`},
		{"-color red", 2, "", "-color"},
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

func TestChecksNameTheFirstFive(t *testing.T) {
	var c Checks
	c.That(true, "not added")
	c.NotEarly("nothing ran", nil)
	c.NotEarly("all ran", []time.Duration{0, 1})
	require.NoError(t, c.Err())
	c.NotEarly("a task ran", []time.Duration{1, -2})
	require.EqualError(t, c.Err(), "a task ran 2ns early")
	for i := range 99 {
		c.That(false, "number %d", i)
	}
	require.EqualError(t, c.Err(), "a task ran 2ns early\nnumber 0\nnumber 1\nnumber 2\nnumber 3\nand 95 more")
}

func TestUntilWaitsNoLongerThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		require.True(t, Until(time.Hour, func() bool { return time.Since(start) >= time.Minute }))
		require.Equal(t, time.Minute, time.Since(start))
		require.False(t, Until(time.Hour, func() bool { return false }))
		require.WithinDuration(t, start, time.Now(), time.Minute+time.Hour+time.Second)
	})
}

func TestServerAnswersUntilItIsClosed(t *testing.T) {
	s, err := Serve("127.0.0.1:0", http.NotFoundHandler())
	require.NoError(t, err)
	resp, err := http.Get(s.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	require.NoError(t, s.Close())
	_, err = http.Get(s.URL)
	require.Error(t, err)
	_, err = Serve("no address", nil)
	require.Error(t, err)
}
