package idle_test

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Time is real here, because the kernel counts it. short is long enough for a few sends on a busy
// machine.
const short = 800 * time.Millisecond

// watched returns a channel that gets a value when the watch of c calls onIdle.
func watched(
	t *testing.T, tm *hashedwheel.Timer, c net.Conn, d time.Duration, opts ...idle.Option,
) (w *idle.Watcher, at chan time.Time) {
	t.Helper()
	at = make(chan time.Time, 2)
	w, err := idle.Watch(tm, c, d, func(net.Conn) { at <- time.Now() }, opts...)
	require.NoError(t, err)
	return w, at
}

// Two hundred connections get their last data at any moment within a few ticks of the
// kernel's clock, and onIdle is called no sooner than the idle time after it.
func TestWatchIsNeverEarlyAndCallsOnce(t *testing.T) {
	watchable(t)
	t.Parallel()
	tm := newTimer(t, hashedwheel.WithTick(time.Millisecond))
	var running sync.WaitGroup
	for range 200 {
		here, there := tcp(t)
		discard(here)
		const short = 100 * time.Millisecond
		made := time.Now()
		w, at := watched(t, tm, here, short)
		running.Go(func() {
			time.Sleep(rand.N(short / 2))
			last := time.Now()
			_, err := there.Write([]byte("!"))
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
		})
	}
	running.Wait()
	require.Zero(t, tm.Pending())
}

func TestWatchSeesDataInEitherDirection(t *testing.T) {
	watchable(t)
	t.Parallel()
	received := func(_, there net.Conn) (int, error) { return there.Write([]byte("!")) }
	sent := func(here, _ net.Conn) (int, error) { return here.Write([]byte("!")) }
	tests := map[string]struct {
		talk func(here, there net.Conn) (int, error)
		opts []idle.Option
		idle bool
	}{
		"received":                         {talk: received},
		"sent":                             {talk: sent},
		"received, where only that counts": {talk: received, opts: []idle.Option{idle.WithReceivedOnly()}},
		"sent, where only received counts": {talk: sent, opts: []idle.Option{idle.WithReceivedOnly()}, idle: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inSteps(t, short, func(each func(talk func())) (check func()) {
				here, there := tcp(t)
				w, at := watched(t, newTimer(t), here, short, tt.opts...)
				for i := 0; i < 12 || tt.idle && len(at) == 0 && i < 200; i++ {
					each(func() { _, _ = tt.talk(here, there) })
				}
				stopped := w.Stop()
				return func() {
					require.Equal(t, !tt.idle, stopped)
					require.Equal(t, tt.idle, len(at) == 1)
				}
			})
		})
	}
}

func TestWatchSeesThroughTLS(t *testing.T) {
	watchable(t)
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	c, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	discard(c) // there are session tickets to read
	_, at := watched(t, newTimer(t), c, short/4)
	within(t, at)
	require.NoError(t, c.SetDeadline(time.Time{}), "Watch closes nothing")
}

func TestWatchIsUnsupportedWhereNoKernelCounts(t *testing.T) {
	pipe, _ := net.Pipe()
	udp, err := net.Dial("udp", "127.0.0.1:9")
	require.NoError(t, err)
	defer udp.Close()
	for name, c := range map[string]net.Conn{"a pipe": pipe, "UDP": udp, "Multipath TCP": multipath(t)} {
		_, err := idle.Watch(newTimer(t), c, d, func(net.Conn) {})
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
	}
}

// multipath returns a connection with Multipath TCP, or a pipe if the system has none.
func multipath(t *testing.T) net.Conn {
	var lc net.ListenConfig
	lc.SetMultipathTCP(true)
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
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

// The options are refused on every system, also where Watch is not supported.
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
