package idle_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// socketsTellUnread skips the test where sockets are not asked how much they hold.
func socketsTellUnread(t *testing.T) {
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly", "windows":
	default:
		t.Skip("no socket is asked here")
	}
}

type kind struct {
	connect func(t testing.TB) (here, there net.Conn)
	opts    []idle.Option
}

// kinds are connections whose sockets hold unread data: the kernel counts one of them on Linux, the
// Conn counts the others.
var kinds = map[string]kind{
	"TCP":          {connect: tcpConns},
	"TCP, counted": {connect: tcpConns, opts: []idle.Option{idle.WithCounting()}},
	"Unix":         {connect: unixConns},
}

// withUnread returns a Conn to which its peer has sent "upload".
func (k kind) withUnread(t *testing.T, d time.Duration) (conn *idle.Conn, there net.Conn) {
	here, there := k.connect(t)
	_, err := there.Write([]byte("upload"))
	require.NoError(t, err)
	conn, err = idle.NewConn(newTimer(t), here, d, k.opts...)
	require.NoError(t, err)
	return conn, there
}

func tcpConns(t testing.TB) (net.Conn, net.Conn) { here, there := tcp(t); return here, there }

// unixConns returns both ends of a stream between Unix sockets.
func unixConns(t testing.TB) (here, there net.Conn) {
	dir, err := os.MkdirTemp("", "idle") // short: a socket's path has room for a hundred bytes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skip("no Unix sockets here:", err)
	}
	defer l.Close()
	there, err = net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	here, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = here.Close(), there.Close() })
	return here, there
}

// The peer has sent all its data; this end takes several idle times to read it.
func TestConnWithUnreadDataIsNotIdle(t *testing.T) {
	socketsTellUnread(t)
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, there := kind.withUnread(t, short/4)
			time.Sleep(2 * short)
			_, err := conn.Write([]byte("thanks")) // before the read, after which the idle time is short
			require.NoError(t, err)
			got := make([]byte, 6)
			_, err = io.ReadFull(conn, got)
			require.NoError(t, err)
			require.Equal(t, "upload", string(got))
			said, err := io.ReadAll(there) // no reset: it has been read, and the idle time is over
			require.NoError(t, err)
			require.Equal(t, "thanks", string(said))
		})
	}
}

// The idle time begins when the data has been read: here just before the next run.
func TestNeverEarlyAfterUnreadDataWasRead(t *testing.T) {
	socketsTellUnread(t)
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, there := kind.withUnread(t, short/2)
			time.Sleep(short - short/8) // a run at half of short, the next at the whole
			start := time.Now()
			_, err := io.ReadFull(conn, make([]byte, 6))
			require.NoError(t, err)
			notBefore(t, there, start, short/2)
		})
	}
}

// A counted connection counts its own data, on a clock that the test moves. Its socket is real and has received
// "early", of which one byte has been read.
type counted struct {
	here  *distracted
	conn  *idle.Conn
	there *net.TCPConn
	clock *hashedwheel.ManualClock
	told  int // calls of the func of WithOnIdle
}

// A distracted connection calls then, unless it is nil, between the read of data and the return to its Conn.
type distracted struct {
	hooked
	then func()
}

func (c *distracted) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if c.then != nil {
		c.then()
	}
	return n, err
}

func newCounted(t *testing.T) *counted {
	socketsTellUnread(t)
	tm, clock := onHand(t)
	inner, there := tcp(t)
	c := &counted{here: &distracted{hooked: hooked{TCPConn: inner}}, there: there, clock: clock}
	onIdle := idle.WithOnIdle(func(net.Conn) { c.told++ })
	var err error
	c.conn, err = idle.NewConn(tm, c.here, d, idle.WithCounting(), onIdle)
	require.NoError(t, err)
	_, err = there.Write([]byte("early"))
	require.NoError(t, err)
	c.read(t, 1) // the rest is here now: one small segment
	return c
}

func (c *counted) read(t *testing.T, n int) {
	_, err := io.ReadFull(c.conn, make([]byte, n))
	require.NoError(t, err)
}

// Data that waited at the last run is read while the next run is under way.
func TestNeverEarlyUnreadDataIsReadDuringTheRun(t *testing.T) {
	c := newCounted(t)
	c.clock.Advance(d + tick)
	c.here.beforeAsk = func() {
		c.here.beforeAsk = nil
		c.read(t, 4)
	}
	c.clock.Advance(d + tick)
	require.Nil(t, c.here.beforeAsk, "there was a run")
	c.clock.Advance(d - 3*tick)
	require.Zero(t, c.told)
	c.clock.Advance(2 * d)
	require.Equal(t, 1, c.told)
}

func TestNeverEarlyUnreadDataIsReadAndYetToBeCounted(t *testing.T) {
	c := newCounted(t)
	c.clock.Advance(d + tick)
	c.here.then = func() { c.clock.Advance(d + tick) }
	c.read(t, 4)
	require.Zero(t, c.told)
	c.clock.Advance(3 * d)
	require.Equal(t, 1, c.told)
}

const patience = 64 // idle times

func TestUnreadDataKeepsAConnOpenForSixtyFourIdleTimes(t *testing.T) {
	c := newCounted(t)
	c.clock.Advance(patience*d - tick)
	require.Zero(t, c.told)
	c.clock.Advance(2 * d)
	require.Equal(t, 1, c.told)
}

// A message is handled in one and a half idle times, and the next is always there.
func TestReaderSlowerThanTheIdleTimeKeepsAConnOpen(t *testing.T) {
	c := newCounted(t)
	for range 3 * patience {
		c.clock.Advance(d + d/2)
		_, err := c.there.Write([]byte("c"))
		require.NoError(t, err)
		c.read(t, 1)
		require.Zero(t, c.told)
	}
	require.NoError(t, c.conn.Close())
}

func TestWatchedConnWithUnreadDataIsClosedAfterSixtyFourIdleTimes(t *testing.T) {
	watchable(t)
	t.Parallel()
	const d = 5 * time.Millisecond
	here, there := tcp(t)
	_, err := there.Write([]byte("unread"))
	require.NoError(t, err)
	start := time.Now()
	_, at := watched(t, newTimer(t), here, d)
	require.GreaterOrEqual(t, within(t, at).Sub(start), patience*d)
}

// Data that cannot or will not be read does not keep a connection open: the test ends long before
// sixty-four idle times.
func TestUnreadDataAfterCloseReadOrResetDoesNotCount(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, conn *idle.Conn, there *net.TCPConn){
		"CloseRead": func(t *testing.T, conn *idle.Conn, _ *net.TCPConn) { require.NoError(t, conn.CloseRead()) },
		"reset": func(t *testing.T, _ *idle.Conn, there *net.TCPConn) {
			require.NoError(t, there.SetLinger(0))
			require.NoError(t, there.Close())
		},
	} {
		for way, opts := range map[string][]idle.Option{"": nil, ", counted": {idle.WithCounting()}} {
			t.Run(name+way, func(t *testing.T) {
				if name == "reset" {
					watchable(t) // other systems do not report a reset
				}
				t.Parallel()
				here, there := tcp(t)
				told := make(chan net.Conn, 1)
				onIdle := idle.WithOnIdle(func(c net.Conn) { told <- c })
				conn, err := idle.NewConn(newTimer(t), here, short, append(opts, onIdle)...)
				require.NoError(t, err)
				_, err = there.Write([]byte("unread"))
				require.NoError(t, err)
				end(t, conn, there)
				within(t, told)
			})
		}
	}
}

// Every few idle times a handler reads a little of data that arrived more than sixty-four idle times ago.
func TestSlowReaderOfAWatchedConnIsNotIdle(t *testing.T) {
	watchable(t)
	t.Parallel()
	const d, size = 10 * time.Millisecond, 2 * patience / 6
	here, there := tcp(t)
	_, err := there.Write(make([]byte, size))
	require.NoError(t, err)
	w, at := watched(t, newTimer(t), here, d)
	for range size - 1 {
		time.Sleep(6 * d)
		_, err := here.Read(make([]byte, 1))
		require.NoError(t, err)
	}
	require.Empty(t, at)
	require.True(t, w.Stop())
}

// With WithReceivedOnly neither sent nor unsent data counts.
func TestReceivedOnlyIgnoresUnsentData(t *testing.T) {
	socketsTellUnread(t)
	tm, clock := onHand(t)
	told := 0
	here, _ := unixConns(t)
	conn, err := idle.NewConn(tm, here, d, idle.WithReceivedOnly(), idle.WithOnIdle(func(net.Conn) { told++ }))
	require.NoError(t, err)
	_, err = conn.Write(make([]byte, 1000))
	require.NoError(t, err)
	clock.Advance(d + tick)
	require.Equal(t, 1, told)
}
