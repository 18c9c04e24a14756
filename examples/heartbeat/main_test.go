package main

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunNoticesEveryDeath(t *testing.T) {
	out := exampletest.Output(t, run, "-peers 41 -every 200ms -timeout 1s -tick 2ms")
	require.Equal(t, 20, exampletest.Row(t, out, "died"), "every second peer")
	require.GreaterOrEqual(t, exampletest.Row(t, out, "noticed dead"), 20)
	require.GreaterOrEqual(t, exampletest.Row(t, out, "dials"), 2*41, "again after the outage")
	require.GreaterOrEqual(t, exampletest.Row(t, out, "beats received"), 10*41)
	require.Contains(t, out, "an outage begins", "progress while running")
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-peers 1":       "-peers 1",
		"-every 0s":      "-every 0s",
		"-every 1s":      "-every 1s",
		"-timeout 150ms": "-timeout 150ms",
		"-timeout 2s":    "-timeout 2s",
		"-tick 99us":     "-tick 99µs",
		"-tick 200ms":    "-tick 200ms",
	})
}

// manual returns a timer on a clock that the test advances.
func manual() (*hashedwheel.ManualClock, *hashedwheel.Timer) {
	clock := hashedwheel.NewManualClock(time.Now())
	return clock, hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
}

// watchOne runs a monitor's end of a link while peer uses the other.
func watchOne(t *testing.T, m *monitor, spoil func(*link), peer func(net.Conn)) {
	t.Helper()
	here, there := net.Pipe()
	defer there.Close()
	l := &link{Conn: here}
	spoil(l)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		m.watch(l)
	}()
	peer(there)
	<-ended
	require.NoError(t, here.Close())
	require.Zero(t, m.connected.Load())
	require.Zero(t, m.timer.Pending())
}

func nothing(*link) {}

func beat(t *testing.T, nc net.Conn) {
	t.Helper()
	_, err := nc.Write([]byte{0, 0, 0, 7})
	require.NoError(t, err)
}

func TestMonitorNoticesSilentPeer(t *testing.T) {
	clock, timer := manual()
	m := &monitor{timer: timer, timeout: time.Hour}
	watchOne(t, m, nothing, func(nc net.Conn) {
		beat(t, nc)
		example.Until(grace, func() bool { return m.beats.Load() == 1 })
		clock.Advance(2 * time.Hour)
	})
	require.Len(t, m.deaths, 1)
	require.EqualValues(t, 7, m.deaths[0].id)
}

func TestMonitorTakesNoClosedPeerForDead(t *testing.T) {
	_, timer := manual()
	m := &monitor{timer: timer, timeout: time.Hour}
	watchOne(t, m, nothing, func(nc net.Conn) {
		beat(t, nc)
		beat(t, nc)
		require.NoError(t, nc.Close())
	})
	require.Empty(t, m.deaths)
	require.EqualValues(t, 2, m.beats.Load())
	require.EqualValues(t, 1, m.cut.Load())
}

func TestEarlyDeathIsReported(t *testing.T) {
	_, timer := manual()
	m := &monitor{timer: timer, timeout: time.Hour}
	tooSoon := func(l *link) { require.NoError(t, l.SetReadDeadline(past)) }
	watchOne(t, m, tooSoon, func(net.Conn) {})

	r := newReport([]*peer{{}}, m, true, 0, 100)
	require.ErrorContains(t, r.verdict(), "early")
}

func TestPeerConnectsAgainAfterTheMonitorHungUp(t *testing.T) {
	clock, timer := manual()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	p := &peer{addr: l.Addr().String(), period: time.Second, start: time.Now()}
	p.series = timer.Every(time.Second, p.beat)
	accept := func() net.Conn {
		nc, err := l.Accept()
		require.NoError(t, err)
		_, err = io.ReadFull(nc, make([]byte, 4))
		require.NoError(t, err)
		return nc
	}

	clock.Advance(1500 * time.Millisecond)
	require.NoError(t, accept().Close())
	require.True(t, example.Until(grace, func() bool { // the peer notices after a beat or two
		clock.Advance(time.Second)
		return p.dials == 2
	}))
	defer accept().Close()
	p.die()
	p.hangUp()
	require.Zero(t, timer.Pending())
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		report report
		want   string // in the error; none if empty
	}{
		"all is well":                    {report{back: true, noticed: []time.Duration{0, 1}}, ""},
		"a living peer stalled":          {report{back: true, stalled: []time.Duration{1}}, ""},
		"a death noticed early":          {report{back: true, noticed: []time.Duration{1, -2}}, "2ns early"},
		"a living peer taken for dead":   {report{back: true, stalled: []time.Duration{-1}}, "1ns early"},
		"a death not noticed":            {report{back: true, missed: 3}, "3 deaths"},
		"a peer that did not reconnect":  {report{}, "reconnected"},
		"a timeout left behind":          {report{back: true, left: 1}, "1 timeouts outlived"},
		"a goroutine left behind":        {report{back: true, before: 1, after: 2}, "2 goroutines after shutdown"},
		"more than one thing went wrong": {report{left: 1}, "reconnected after the outage\n1 timeouts"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			exampletest.Error(t, tt.report.verdict(), tt.want)
		})
	}
}
