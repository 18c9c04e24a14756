package main

import (
	"errors"
	"io"
	"net"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunClosesTheSilentAndKeepsTheTalking(t *testing.T) {
	out := exampletest.Output(t, run, "-clients 40 -idle 300ms -tick 5ms -duration 1500ms")
	sides := 1
	if canWatch() {
		sides = 2
	}
	closed := row(t, out, "silent, closed")
	kept := row(t, out, "talking, kept")
	expired := row(t, out, "timeouts expired")
	require.Len(t, closed, sides)
	for i := range closed {
		require.Positive(t, closed[i])
		require.LessOrEqual(t, closed[i], 20/sides, "every second client falls silent")
		require.LessOrEqual(t, kept[i], 20/sides)
		require.GreaterOrEqual(t, expired[i], closed[i])
	}
	require.Equal(t, 40/sides-kept[sides-1], expired[sides-1], "if counted, only idle connections expire")
	require.Contains(t, out, "open", "progress while running")
}

// row returns the numbers in the row of the table that has the label.
func row(t *testing.T, table, label string) (numbers []int) {
	t.Helper()
	for _, field := range exampletest.Columns(t, table, label) {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		numbers = append(numbers, n)
	}
	return numbers
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-clients 3":                     "-clients 3",
		"-clients -3":                    "-clients -3",
		"-idle 0s":                       "-idle 0s",
		"-idle -1s":                      "-idle -1s",
		"-tick 99us":                     "-tick 99µs",
		"-tick -1s":                      "-tick -1s",
		"-duration 0s":                   "-duration 0s",
		"-idle 5s -duration 5s":          "-idle 5s",
		"-idle 1s -duration 2s -tick 1s": "-tick 1s",
	})
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

// newServer returns a server that counts, on virtual time if called in a bubble.
func newServer() *server {
	return &server{way: count, timer: hashedwheel.MustNew(), idle: time.Hour}
}

func TestServerClosesAnIdleConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		defer s.timer.Stop()
		end := serveOne(t, s, nothing, func(nc net.Conn) {
			require.True(t, say(nc, last))
			_, err := nc.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
		})
		require.True(t, end.idle)
		require.GreaterOrEqual(t, end.late, time.Duration(0))
		require.LessOrEqual(t, end.late, s.timer.Tick())
		require.Zero(t, s.timer.Pending())
	})
}

func TestServerKeepsATalkingConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		defer s.timer.Stop()
		end := serveOne(t, s, nothing, func(nc net.Conn) {
			for range 10 {
				time.Sleep(s.idle - time.Second)
				require.True(t, say(nc, more))
			}
			require.NoError(t, nc.Close())
		})
		require.Equal(t, ending{last: more}, end)
		require.EqualValues(t, 10, s.reads.Load())
		require.Zero(t, s.timer.Pending())
	})
}

func TestBrokenConnectionIsNoticed(t *testing.T) {
	s := newServer()
	defer s.timer.Stop()
	broken := func(nc net.Conn) { require.NoError(t, nc.SetReadDeadline(time.Unix(1, 0))) }
	end := serveOne(t, s, broken, nothing)
	require.ErrorIs(t, end.err, os.ErrDeadlineExceeded)
}

func TestRefusedConnectionIsNoticed(t *testing.T) {
	s := newServer()
	s.timer.Stop()
	end := serveOne(t, s, nothing, nothing)
	require.ErrorIs(t, end.err, hashedwheel.ErrStopped)
}

func TestTooManyFilesAreNamedAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("no such limit")
	}
	var stderr strings.Builder
	require.Equal(t, 2, run(strings.Fields("-clients 2000000000"), io.Discard, &stderr))
	require.Contains(t, stderr.String(), "RLIMIT_NOFILE (ulimit -n)")
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		endings []ending
		want    string // in the error; none if empty
	}{
		"all is well":                         {[]ending{{idle: true, last: last}, {last: more}}, ""},
		"a talking client stalled for a time": {[]ending{{idle: true, last: more, late: 1}}, ""},
		"an idle connection closed early":     {[]ending{{idle: true, last: last, late: -1}}, "side: an idle connection was closed 1ns early"},
		"a talking connection closed":         {[]ending{{idle: true, last: more, late: -1}}, "a talking connection was closed, 1ns before"},
		"an idle connection not closed":       {[]ending{{last: last}}, "not closed at all"},
		"a connection broken":                 {[]ending{{last: more, err: errors.New("reset")}}, "broke: reset"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := report{clients: len(tt.endings), sides: []side{{name: "side", endings: tt.endings}}}
			exampletest.Error(t, r.verdict(), tt.want)
		})
	}
	missing := report{clients: 1}
	require.ErrorContains(t, missing.verdict(), "1 clients, but 0 connections")
	left := report{sides: []side{{left: 1}}}
	require.ErrorContains(t, left.verdict(), "1 timeouts outlived")
	goroutine := report{before: 1, after: 2}
	require.ErrorContains(t, goroutine.verdict(), "2 goroutines after shutdown")
}

// Each line of the progress counts every connection of a server once.
func TestProgressAddsUp(t *testing.T) {
	out := exampletest.Output(t, run, "-clients 20 -idle 300ms -duration 900ms")
	lines := regexp.MustCompile(`: +(\d+) open +(\d+) closed +(\d+) hung up`).FindAllStringSubmatch(out, -1)
	require.NotEmpty(t, lines)
	for _, line := range lines[min(2, len(lines)):] { // by the second line all have connected
		sum := 0
		for _, n := range line[1:] {
			i, err := strconv.Atoi(n)
			require.NoError(t, err)
			sum += i
		}
		require.Contains(t, []int{10, 20}, sum, line[0]) // one way or two
	}
}

// README.md quotes the last two lines.
func TestLastLinesKeepTheirShape(t *testing.T) {
	require.Regexp(t, `\n\nok: \d+ connections were closed after 300ms of silence, none early, the latest [\d.]+m?s late; \d+ talking ones were kept\n`+
		`gained: \d+ reads without a SetReadDeadline; \d+ timeouts expired instead, on \d timers\n$`,
		exampletest.Output(t, run, "-clients 20 -idle 300ms -duration 900ms"))
}

func TestServerCountsTheConnectionsThatClientsHungUp(t *testing.T) {
	s := &server{open: 4, endings: []ending{{idle: true}, {}, {idle: true}, {}, {}}}
	open, closed, hungUp := s.now()
	require.Equal(t, []int{4, 2, 3}, []int{open, closed, hungUp})
}
