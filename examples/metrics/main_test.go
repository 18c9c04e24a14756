package main

import (
	"encoding/json"
	"expvar"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunCountsEveryTimeoutOnce(t *testing.T) {
	for range 2 { // expvar publishes a name only once
		out := exampletest.Output(t, run, "-workers 3 -tick 2ms -interval 100ms -duration 500ms")
		armed := exampletest.Row(t, out, "armed")
		require.Positive(t, armed)
		require.Equal(t, armed, exampletest.Row(t, out, "expired")+exampletest.Row(t, out, "canceled")+exampletest.Row(t, out, "rejected"))
		require.Positive(t, exampletest.Row(t, out, "tasks that panicked"))
		require.Contains(t, out, "pending", "progress while running")
	}
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-workers 0":                "-workers 0",
		"-tick 99us":                "-tick 99µs",
		"-tick 2s":                  "-tick 2s",
		"-duration 0s":              "-duration 0s",
		"-duration 1m":              "-duration 1m",
		"-interval 2s -duration 3s": "-interval 2s",
		"-interval 0s":              "-interval 0s",
	})
}

func TestPublishedStatsAreTheTimers(t *testing.T) {
	for pending := range 3 { // each replaces the timer before
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		for range pending {
			tm.AfterFunc(time.Hour, func() {})
		}
		publish("test", tm)
		var s hashedwheel.Stats
		require.NoError(t, json.Unmarshal([]byte(expvar.Get("test").String()), &s))
		require.Equal(t, tm.Stats().Pending, s.Pending)
		require.Equal(t, pending, s.Pending)
	}
}

func TestCollectorNoticesADecrease(t *testing.T) {
	c := newCollector("", io.Discard)
	c.compare(hashedwheel.Stats{Expired: 7, Canceled: 3})
	c.compare(hashedwheel.Stats{Expired: 8, Canceled: 3})
	require.Empty(t, c.decreased)
	c.compare(hashedwheel.Stats{Expired: 6, Canceled: 3})
	require.Equal(t, []string{"Expired from 8 to 6"}, c.decreased)
}

func TestCollectorReportsAMissingPage(t *testing.T) {
	for body, want := range map[string]string{"": "EOF", "{}": "no variable of that name"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		c := newCollector(s.URL, io.Discard)
		err := c.finish(t.Context(), func(*hashedwheel.Stats) bool { return true })
		require.ErrorContains(t, err, want)
		require.Zero(t, c.looks)
		s.Close()
	}
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		spoil func(*report)
		want  string // in the error; none if empty
	}{
		"all is well":             {func(*report) {}, ""},
		"an arming went missing":  {func(r *report) { r.armed++ }, "armed: 11 by the workers' tally, 10 by Stats"},
		"one more was rejected":   {func(r *report) { r.rejected++ }, "rejected: 2"},
		"one less was stopped":    {func(r *report) { r.stopped-- }, "canceled: 5"},
		"a timeout is pending":    {func(r *report) { r.Pending = 1 }, "pending: 0"},
		"a panic too many":        {func(r *report) { r.Panics = 2 }, "2 panics"},
		"a counter has decreased": {func(r *report) { r.decreased = []string{"Expired"} }, "Expired"},
		"the page was not read":   {func(r *report) { r.looks = 0 }, "0 times"},
		"a timeout left behind":   {func(r *report) { r.left = 1 }, "1 timeouts left"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &report{
				tally: tally{armed: 10, rejected: 1, stopped: 6, panicking: 1},
				Stats: hashedwheel.Stats{Expired: 3, Canceled: 6, Rejected: 1, Panics: 1},
				looks: 5,
			}
			tt.spoil(r)
			exampletest.Error(t, r.verdict(), tt.want)
		})
	}
}
