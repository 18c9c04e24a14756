package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// untilEnd returns run with the test's context.
func untilEnd(t *testing.T) exampletest.Run {
	return func(args []string, stdout, stderr io.Writer) int { return run(t.Context(), args, stdout, stderr) }
}

func TestRunShowsAllThreeTimersAtWork(t *testing.T) {
	out := exampletest.Output(t, untilEnd(t), "-connections 5000 -duration 3s -interval 300ms")
	for _, want := range []string{"http://127.0.0.1:", "calls ", "connections ", "jobs ", "idle connection", "(*call).fail", "ok:"} {
		require.Contains(t, out, want)
	}
}

func TestServeEndsWhenInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(2*time.Second, interrupt)
	var stdout strings.Builder
	require.Zero(t, run(ctx, strings.Fields("-serve -connections 10 -duration 2ms -interval 1ms"), &stdout, io.Discard))
}

func TestTakenAddressIsReported(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	var stderr strings.Builder
	require.Equal(t, 1, run(t.Context(), []string{"-addr", s.Listener.Addr().String()}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), s.Listener.Addr().String())
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, untilEnd(t), map[string]string{
		"-connections 0": "-connections 0",
		"-duration 0s":   "-duration 0s",
		"-duration 2m":   "-duration 2m",
		"-interval 6s":   "-interval 6s",
		"-interval 0s":   "-interval 0s",
	})
}

func TestMissingPageIsReported(t *testing.T) {
	for name, page := range map[string]struct {
		http.HandlerFunc
		want string
	}{
		"404":       {http.NotFound, "404 Not Found"},
		"no JSON":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "invalid character"},
		"no timers": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }, "0 timers"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(page)
			defer s.Close()
			r := newReader(s.URL, io.Discard)
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			r.look() // once at least, however slow the machine is
			r.every(ctx, 20*time.Millisecond)
			require.ErrorContains(t, r.verdict(&server{}), page.want)
		})
	}
}

func TestVerdictNamesMissingTimersAndTasks(t *testing.T) {
	const timers = `{"timers": [{"name": "calls"}, {"name": "connections"}, {"name": "jobs"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, timers) }))
	defer s.Close()
	r := newReader(s.URL, io.Discard)
	r.look()
	require.ErrorContains(t, r.verdict(&server{}), "calls: nothing is pending")
	r.last.Timers[0].Stats.Pending, r.last.Timers[0].Sampled = 1, 1
	r.last.Timers[0].Tasks = []taskRow{{"main.secret", 1}}
	require.ErrorContains(t, r.verdict(&server{}), "main.secret is missing on the page")
}
