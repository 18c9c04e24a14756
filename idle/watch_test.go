package idle_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Time is real here, because the kernel counts it. short is long enough for a few sends on a busy machine.
const short = 800 * time.Millisecond

// watched returns a channel that receives a value when the watch of c calls onIdle.
func watched(
	t *testing.T, tm *hashedwheel.Timer, c net.Conn, d time.Duration, opts ...idle.Option,
) (w *idle.Watcher, at chan time.Time) {
	t.Helper()
	at = make(chan time.Time, 2)
	w, err := idle.Watch(tm, c, d, func(net.Conn) { at <- time.Now() }, opts...)
	require.NoError(t, err)
	return w, at
}

// Two hundred connections receive or send their last data at any moment within a few ticks of the kernel's clock, and
// onIdle is called no sooner than the idle time after it.
func TestWatchIsNeverEarlyAndCallsOnce(t *testing.T) {
	watchable(t)
	t.Parallel()
	tm := newTimer(t, hashedwheel.WithTick(time.Millisecond))
	var running sync.WaitGroup
	for i := range 200 {
		here, there := tcp(t)
		discard(here)
		discard(there)
		from := []net.Conn{here, there}[i%2]
		const short = 100 * time.Millisecond
		made := time.Now()
		w, at := watched(t, tm, here, short)
		running.Go(func() {
			time.Sleep(rand.N(short / 2))
			last := time.Now()
			_, err := from.Write([]byte("!"))
			assert.NoError(t, err)
			if time.Since(made) >= short {
				last = made // the machine was busy, and the data was sent too late
			}
			select {
			case called := <-at:
				assert.GreaterOrEqual(t, called.Sub(last), short)
			case <-time.After(20 * time.Second):
				assert.Fail(t, "not called")
			}
			assert.False(t, w.Stop(), "it has been called")
			assert.NoError(t, here.SetDeadline(time.Time{}), "Watch closes nothing")
		})
	}
	running.Wait()
	require.Zero(t, tm.Pending())
}

// A peer reads slowly but steadily, and its system makes room for new data in every idle time: see the package comment.
func TestWatchOfASlowSteadyReaderIsNotIdle(t *testing.T) {
	watchable(t)
	t.Parallel()
	const perIdleTime, step = 1 << 20, short / 32
	here, there := tcp(t)
	go func() { _, _ = here.ReadFrom(zeros{}) }()
	_, at := watched(t, newTimer(t), here, short)
	for start := time.Now(); time.Since(start) < 5*short; {
		begun := time.Now()
		_, err := io.CopyN(io.Discard, there, perIdleTime/32)
		require.NoError(t, err)
		time.Sleep(step)
		if len(at) > 0 && time.Since(begun) < 2*step { // otherwise the machine stood still
			require.FailNow(t, "idle while its peer reads")
		}
	}
}

// A zeros is data without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// Data is sent until the connection is idle.
func TestWatchWithReceivedOnlyDoesNotCountSentData(t *testing.T) {
	watchable(t)
	t.Parallel()
	here, there := tcp(t)
	discard(there)
	_, at := watched(t, newTimer(t), here, short, idle.WithReceivedOnly())
	for start := time.Now(); len(at) == 0; time.Sleep(short / 8) {
		require.Less(t, time.Since(start), 20*time.Second)
		_, err := here.Write([]byte("!"))
		require.NoError(t, err)
	}
}

func TestWatchIsUnsupportedWhereTheKernelDoesNotCount(t *testing.T) {
	pipe, _ := net.Pipe()
	udp, err := net.Dial("udp", "127.0.0.1:9")
	require.NoError(t, err)
	defer udp.Close()
	for name, c := range map[string]net.Conn{"a pipe": pipe, "UDP": udp, "Multipath TCP": multipath(t)} {
		_, err := idle.Watch(newTimer(t), c, d, func(net.Conn) {})
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
	}
}

// multipath returns a connection with Multipath TCP, which a listener takes, or a pipe if the system has none.
func multipath(t *testing.T) net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	var dialer net.Dialer
	dialer.SetMultipathTCP(true)
	c, err := dialer.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	if is, _ := c.(*net.TCPConn).MultipathTCP(); !is {
		pipe, _ := net.Pipe()
		return pipe
	}
	return c
}

// The options are refused on every system, even where Watch is not supported.
func TestWatchReturnsErrors(t *testing.T) {
	pipe, _ := net.Pipe()
	nothing := func(net.Conn) {}
	_, err := idle.Watch(newTimer(t), pipe, 0, nothing)
	require.ErrorContains(t, err, "idle: Watch for 0s")
	_, err = idle.Watch(newTimer(t), pipe, d, nothing, idle.WithOnIdle(nothing))
	require.ErrorContains(t, err, "idle: WithOnIdle is not for Watch")
	_, err = idle.Watch(newTimer(t), pipe, d, nothing, idle.WithCounting())
	require.ErrorContains(t, err, "idle: WithCounting is not for Watch")

	watchable(t)
	here, _ := tcp(t)
	require.NoError(t, here.Close())
	_, err = idle.Watch(newTimer(t), here, d, nothing)
	require.ErrorIs(t, err, net.ErrClosed)
}

// The NetConn of a circular connection returns the connection itself, or another that returns it.
type circular struct {
	net.Conn
	inner net.Conn
}

func (c *circular) NetConn() net.Conn { return c.inner }

func TestConnWhoseNetConnLeadsNowhereIsCounted(t *testing.T) {
	pipe, _ := net.Pipe()
	itself := &circular{Conn: pipe}
	itself.inner = itself
	for name, c := range map[string]net.Conn{
		"itself":      itself,
		"nil":         &circular{Conn: pipe},
		"nil pointer": &circular{Conn: pipe, inner: (*net.TCPConn)(nil)},
		"nil Conn":    &circular{Conn: pipe, inner: (*idle.Conn)(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := idle.NewConn(newTimer(t), c, d)
			require.NoError(t, err)
			require.NoError(t, conn.Close())
			_, found := idle.FromContext(idle.ConnContext(context.Background(), c))
			require.False(t, found)
			_, err = idle.Watch(newTimer(t), c, d, func(net.Conn) {})
			require.ErrorIs(t, err, errors.ErrUnsupported)
		})
	}
}
