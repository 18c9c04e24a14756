package main

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunClosesTheSilentAndKeepsTheTalking(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-clients 41 -idle 300ms -tick 5ms -duration 1500ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)

	out := stdout.String()
	closed := row(t, out, "connections closed as idle")
	require.GreaterOrEqual(t, closed, 20, "every second client falls silent")
	require.Equal(t, 41, closed+row(t, out, "connections kept"))
	require.Positive(t, row(t, out, "timeouts moved"))
	require.GreaterOrEqual(t, row(t, out, "reads served"), row(t, out, "timeouts moved"))
	require.Contains(t, out, "open", "progress while running")
	require.NotContains(t, out, "lateness of the idle closes   none")
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
		{"-colour red", "-colour"},
		{"-clients many", `"many" for flag -clients`},
		{"-clients 1", "-clients 1"},
		{"-clients -3", "-clients -3"},
		{"-idle 0s", "-idle 0s"},
		{"-idle -1s", "-idle -1s"},
		{"-tick 99us", "-tick 99µs"},
		{"-tick -1s", "-tick -1s"},
		{"-duration 0s", "-duration 0s"},
		{"-idle 5s -duration 5s", "-idle 5s"},
		{"-idle 1s -duration 2s -tick 1s", "-tick 1s"},
		{"now", `"now"`},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
}

func TestHelpIsNoError(t *testing.T) {
	var stderr strings.Builder
	require.Zero(t, run([]string{"-h"}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), "-idle")
}

// serveOne runs a server's end of a connection while client uses the other.
func serveOne(t *testing.T, s *server, spoil func(net.Conn), client func(net.Conn)) ending {
	t.Helper()
	here, there := net.Pipe()
	defer there.Close()
	spoil(here)
	end := make(chan ending)
	go func() { end <- s.serve(here) }()
	client(there)
	return <-end
}

func nothing(net.Conn) {}

func newTimer(clock hashedwheel.Clock) *hashedwheel.Timer {
	return hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
}

func TestServerClosesAnIdleConnection(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Now())
	s := &server{timer: newTimer(clock), idle: time.Hour}
	end := serveOne(t, s, nothing, func(nc net.Conn) {
		require.True(t, say(nc, more))
		clock.Advance(2 * time.Hour)
		_, err := nc.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	})
	require.True(t, end.idle)
	require.Zero(t, s.timer.Pending())
}

func TestServerKeepsATalkingConnection(t *testing.T) {
	s := &server{timer: newTimer(hashedwheel.NewManualClock(time.Now())), idle: time.Hour}
	end := serveOne(t, s, nothing, func(nc net.Conn) {
		require.True(t, say(nc, more))
		require.True(t, say(nc, more))
		require.NoError(t, nc.Close())
	})
	require.Equal(t, ending{last: more}, end)
	require.EqualValues(t, 2, s.moved.Load())
	require.Zero(t, s.timer.Pending())
}

func TestEarlyCloseIsNoticed(t *testing.T) {
	s := &server{timer: newTimer(hashedwheel.NewManualClock(time.Now())), idle: time.Hour}
	tooSoon := func(nc net.Conn) { require.NoError(t, nc.SetReadDeadline(past)) }
	end := serveOne(t, s, tooSoon, nothing)

	r := &report{clients: 1, endings: []ending{end}}
	require.ErrorContains(t, r.verdict(), "before it could be idle")
}

func TestForgottenConnectionIsNoticed(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Now())
	s := &server{timer: newTimer(clock), idle: time.Hour}
	end := serveOne(t, s, nothing, func(nc net.Conn) { // the clock stands still: nothing expires
		require.True(t, say(nc, last))
		require.NoError(t, nc.Close())
	})

	r := &report{clients: 1, endings: []ending{end}}
	require.ErrorContains(t, r.verdict(), "not closed at all")
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		report report
		want   string // in the error; none if empty
	}{
		"all is well": {
			report: report{clients: 2, endings: []ending{{idle: true, last: last}, {last: more}}},
		},
		"a talking client stalled for the idle time": {
			report: report{clients: 1, endings: []ending{{idle: true, last: more, late: 1}}},
		},
		"an idle connection closed early": {
			report: report{clients: 1, endings: []ending{{idle: true, last: last, late: -1}}},
			want:   "an idle connection was closed 1ns early",
		},
		"a talking connection closed": {
			report: report{clients: 1, endings: []ending{{idle: true, last: more, late: -1}}},
			want:   "a talking connection was closed",
		},
		"an idle connection forgotten": {
			report: report{clients: 1, endings: []ending{{last: last}}},
			want:   "not closed at all",
		},
		"a connection broken": {
			report: report{clients: 1, endings: []ending{{last: more, err: errors.New("reset")}}},
			want:   "broke: reset",
		},
		"a connection without an ending": {
			report: report{clients: 1},
			want:   "1 clients, but 0 connections",
		},
		"a timeout left behind": {
			report: report{left: 1},
			want:   "1 timeouts outlived",
		},
		"a goroutine left behind": {
			report: report{before: 1, after: 2},
			want:   "2 goroutines after shutdown",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := tt.report.verdict()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestVerdictIsShort(t *testing.T) {
	r := report{clients: 100, endings: make([]ending, 100)}
	for i := range r.endings {
		r.endings[i] = ending{idle: true, late: -1}
	}
	require.ErrorContains(t, r.verdict(), "and 95 more")
}
