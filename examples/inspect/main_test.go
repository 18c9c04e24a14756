package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunShowsAllThreeTimersAtWork(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(t.Context(), strings.Fields("-connections 5000 -duration 700ms -interval 300ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)
	for _, want := range []string{"http://127.0.0.1:", "calls ", "connections ", "jobs ", "*main.conn", "(*call).fail", "ok:"} {
		require.Contains(t, stdout.String(), want)
	}
}

func TestServeEndsWhenInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, interrupt)
	var stdout strings.Builder
	require.Zero(t, run(ctx, strings.Fields("-serve -connections 10 -duration 2ms -interval 1ms"), &stdout, io.Discard))
}

func TestAnAddressThatIsTakenIsSaid(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	var stderr strings.Builder
	require.Equal(t, 1, run(t.Context(), []string{"-addr", s.Listener.Addr().String()}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), s.Listener.Addr().String())
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-connections 0", "-connections 0"},
		{"-duration 0s", "-duration 0s"},
		{"-duration 2m", "-duration 2m"},
		{"-interval 6s", "-interval 6s"},
		{"-interval 0s", "-interval 0s"},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(t.Context(), strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
}

func TestAPageThatIsNotThereIsNoticed(t *testing.T) {
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
			r.every(ctx, 20*time.Millisecond)
			require.ErrorContains(t, r.verdict(&server{}), page.want)
		})
	}
}

func TestVerdictNoticesWhatIsMissing(t *testing.T) {
	const timers = `{"timers": [{"name": "calls"}, {"name": "connections"}, {"name": "jobs"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, timers) }))
	defer s.Close()
	r := newReader(s.URL, io.Discard)
	r.look()
	require.ErrorContains(t, r.verdict(&server{}), "calls: nothing is pending")
	r.last.Timers[0].Stats.Pending, r.last.Timers[0].Sampled = 1, 1
	r.last.Timers[0].Tasks = []taskRow{{"main.secret", 1}}
	require.ErrorContains(t, r.verdict(&server{}), "main.secret, is not on the page")
}
