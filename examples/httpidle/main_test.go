package main

import (
	"context"
	"errors"
	"io"
	"net"
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

func TestRunClosesTheSilentAndCutsTheSlow(t *testing.T) {
	out := exampletest.Output(t, run, "-clients 41 -idle 400ms -limit 50ms -tick 5ms -duration 1500ms")
	closed := exampletest.Row(t, out, "connections closed as idle")
	require.GreaterOrEqual(t, closed, 20, "every second client falls silent")
	require.GreaterOrEqual(t, closed+exampletest.Row(t, out, "connections kept"), 41)
	require.Positive(t, exampletest.Row(t, out, "requests answered"))
	require.Positive(t, exampletest.Row(t, out, "deadlines exceeded"))
	require.Contains(t, out, "open", "progress while running")
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-clients 1":            "-clients 1",
		"-idle 0s":              "-idle 0s",
		"-limit 1ms":            "-limit 1ms",
		"-tick 99us":            "-tick 99µs",
		"-tick 1s":              "-tick 1s",
		"-duration 0s":          "-duration 0s",
		"-duration 1m":          "-duration 1m",
		"-idle 3s -duration 3s": "-idle 3s",
	})
}

// manualServer returns a server without a listener, on a clock that the test advances.
func manualServer() (*server, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(time.Now())
	timer := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	return &server{timer: timer, idleTime: time.Hour, limit: time.Minute}, clock
}

// newConn returns both ends of a connection of the server.
func newConn(t *testing.T, s *server) (here *conn, there net.Conn) {
	nc, there := net.Pipe()
	t.Cleanup(func() { _ = there.Close() })
	here = &conn{Conn: nc, server: s}
	here.idle.Init(s.timer, here)
	return here, there
}

func isOpen(nc net.Conn) bool {
	_ = nc.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := nc.Read(make([]byte, 1))
	return !errors.Is(err, io.EOF)
}

func TestConnectionIsClosedAfterItsIdleTime(t *testing.T) {
	s, clock := manualServer()
	c, there := newConn(t, s)
	s.onState(c, http.StateNew)
	clock.Advance(50 * time.Minute)
	s.onState(c, http.StateActive)
	clock.Advance(24 * time.Hour) // a long request
	require.True(t, isOpen(there))
	s.onState(c, http.StateIdle)
	clock.Advance(50 * time.Minute)
	require.True(t, isOpen(there))
	clock.Advance(20 * time.Minute)
	require.False(t, isOpen(there))
	s.onState(c, http.StateClosed)
	require.Equal(t, 1, s.tally.stalled, "the client was not done")
	require.Zero(t, s.timer.Pending())
	require.Zero(t, s.open.Load())
}

func TestConnectionWithoutARequestIsClosed(t *testing.T) {
	s, clock := manualServer()
	c, there := newConn(t, s)
	s.onState(c, http.StateNew)
	clock.Advance(2 * time.Hour)
	require.False(t, isOpen(there))
}

func TestEveryEndingIsCountedAsItsKind(t *testing.T) {
	tests := map[string]struct {
		idle, last bool
		want       tally
	}{
		"the client hung up":      {false, false, tally{kept: 1}},
		"silent and closed":       {true, true, tally{}},
		"talking and closed":      {true, false, tally{stalled: 1}},
		"silent and never closed": {false, true, tally{forgotten: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, _ := manualServer()
			c, _ := newConn(t, s)
			c.wasIdle.Store(tt.idle)
			c.last.Store(tt.last)
			s.ended(c)
			require.Equal(t, tt.want, s.tally)
		})
	}
}

func TestSlowRequestIsCutShort(t *testing.T) {
	s, clock := manualServer()
	began := make(chan bool)
	h := s.withDeadline(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(began)
		s.work(w, r)
	}))
	answered := make(chan *httptest.ResponseRecorder)
	go func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/?takes=1h", nil))
		answered <- w
	}()
	<-began
	clock.Advance(2 * time.Minute)
	w := <-answered
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), errTooSlow.Error())
	require.Equal(t, 1, s.timer.Pending(), "the channel of the work, and no deadline")
	s.timer.Stop()
}

func TestCauseOfAHungUpClientIsNotTooSlow(t *testing.T) {
	s, _ := manualServer()
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	w := httptest.NewRecorder()
	s.withDeadline(http.HandlerFunc(s.work)).ServeHTTP(w, httptest.NewRequest("GET", "/?takes=1h", nil).WithContext(ctx))
	require.Contains(t, w.Body.String(), context.Canceled.Error())
	require.Empty(t, s.tally.cut)
	s.timer.Stop()
}

func TestAnswersAreJudged(t *testing.T) {
	const limit = time.Second
	tests := map[string]struct {
		answer answer
		takes  time.Duration
		want   string // in the error; none if empty
	}{
		"fast":                      {answer{status: 200, took: 1}, 0, ""},
		"slow, cut short":           {answer{status: 503, took: limit}, time.Hour, ""},
		"fast, stalled, cut short":  {answer{status: 503, took: limit}, 0, ""},
		"cut short early":           {answer{status: 503, took: limit - 1}, time.Hour, "999.999999ms"},
		"slow, answered":            {answer{status: 200, took: 1}, time.Hour, "answered after 1ns"},
		"no such status":            {answer{status: 404}, 0, "404"},
		"a connection that is gone": {answer{err: io.EOF}, 0, "EOF"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := new(group)
			c.count(tt.answer, tt.takes, limit)
			if tt.want == "" {
				require.Empty(t, c.wrong)
				return
			}
			require.Len(t, c.wrong, 1)
			require.ErrorContains(t, c.wrong[0], tt.want)
		})
	}
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		spoil func(*report)
		want  string // in the error; none if empty
	}{
		"all is well":                {func(*report) {}, ""},
		"a stalled client":           {func(r *report) { r.stalled, r.wrong = 1, []error{io.EOF} }, ""},
		"closed early":               {func(r *report) { r.idle[1] = -1 }, "closed 1ns early"},
		"cut short early":            {func(r *report) { r.cut[0] = -2 }, "cut short 2ns early"},
		"a connection not closed":    {func(r *report) { r.forgotten = 3 }, "3 idle connections"},
		"a wrong answer":             {func(r *report) { r.wrong = []error{io.EOF} }, "one: EOF"},
		"nothing to be seen":         {func(r *report) { r.tooSlow = 0 }, "no request exceeded"},
		"a timeout left behind":      {func(r *report) { r.left = 1 }, "1 timeouts outlived"},
		"more than one thing, wrong": {func(r *report) { r.left, r.forgotten = 1, 1 }, "not closed\n1 timeouts"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &report{tally: tally{idle: []time.Duration{0, 1}, cut: []time.Duration{5}}, tooSlow: 1}
			tt.spoil(r)
			exampletest.Error(t, r.verdict(), tt.want)
		})
	}
}
