package idle_test

import (
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

// A hooked connection calls these functions, unless they are nil, after each read of data and around each query of its
// socket.
type hooked struct {
	*net.TCPConn
	afterRead, beforeQuery, afterQuery func()
}

func (h *hooked) Read(b []byte) (int, error) {
	defer call(h.afterRead)
	return h.TCPConn.Read(b)
}

func (h *hooked) SyscallConn() (syscall.RawConn, error) {
	raw, err := h.TCPConn.SyscallConn()
	return hookedSocket{raw, h}, err
}

type hookedSocket struct {
	syscall.RawConn
	conn *hooked
}

func (s hookedSocket) Control(f func(fd uintptr)) error {
	call(s.conn.beforeQuery)
	defer call(s.conn.afterQuery)
	return s.RawConn.Control(f)
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// A counted connection counts its own data, on a clock that the test moves. Its socket is real and has received
// "early", of which one byte has been read.
type counted struct {
	here  *hooked
	conn  *idle.Conn
	there *net.TCPConn
	clock *hashedwheel.ManualClock
	calls int // calls of the func of WithOnIdle
}

func newCounted(t *testing.T) *counted {
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly", "windows":
	default:
		t.Skip("no socket is queried here")
	}
	clock, tm := timertest.NewManual()
	inner, there := tcp(t)
	c := &counted{here: &hooked{TCPConn: inner}, there: there, clock: clock}
	onIdle := idle.WithOnIdle(func(net.Conn) { c.calls++ })
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

// The idle time is over, and its run queries the socket, when a call makes the connection busy or sets its idle time.
func TestNeverEarlyCallDuringTheQueryOfTheSocket(t *testing.T) {
	write := func(conn *idle.Conn) { _, _ = conn.Write([]byte("!")) }
	for name, tt := range map[string]struct {
		call   func(*idle.Conn)
		before bool // the answer
		calls  int  // calls of onIdle once an idle time has passed after the call
	}{
		"write, before the answer": {call: write, before: true, calls: 1},
		"write, after the answer":  {call: write, calls: 1},
		"the same":                 {call: func(conn *idle.Conn) { conn.SetIdleTimeout(d) }, calls: 1},
		"none, then the same": {calls: 1, call: func(conn *idle.Conn) {
			conn.SetIdleTimeout(0)
			conn.SetIdleTimeout(d)
		}},
		"none":  {call: func(conn *idle.Conn) { conn.SetIdleTimeout(0) }},
		"Close": {call: func(conn *idle.Conn) { _ = conn.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCounted(t)
			c.read(t, 4) // all
			discard(c.there)
			called := false
			once := sync.OnceFunc(func() {
				called = true
				tt.call(c.conn)
			})
			if tt.before {
				c.here.beforeQuery = once
			} else {
				c.here.afterQuery = once
			}
			c.clock.Advance(d)
			require.True(t, called)
			c.clock.Advance(d - tick)
			require.Zero(t, c.calls)
			c.clock.Advance(2 * d) // the data may have been in the socket's buffer for a moment
			require.Equal(t, tt.calls, c.calls)
		})
	}
}

// The task runs between a read and its count.
func TestNeverEarlyUnreadDataIsReadAndYetToBeCounted(t *testing.T) {
	c := newCounted(t)
	c.clock.Advance(d + tick)
	c.here.afterRead = func() { c.clock.Advance(d + tick) }
	c.read(t, 4)
	require.Zero(t, c.calls)
	c.clock.Advance(3 * d)
	require.Equal(t, 1, c.calls)
}

const unreadIdleTimes = 64

func TestUnreadDataKeepsAConnOpenForSixtyFourIdleTimes(t *testing.T) {
	c := newCounted(t)
	c.clock.Advance(unreadIdleTimes / 2 * d)
	_, err := c.there.Write([]byte("more")) // does not count before it is read
	require.NoError(t, err)
	c.clock.Advance(unreadIdleTimes/2*d - tick)
	require.Zero(t, c.calls)
	c.clock.Advance(2 * d)
	require.Equal(t, 1, c.calls)
}

// Data that cannot or will not be read does not keep a connection open.
func TestUnreadDataAfterCloseReadOrResetDoesNotCount(t *testing.T) {
	for name, end := range map[string]func(c *counted){
		"CloseRead": func(c *counted) { require.NoError(t, c.conn.CloseRead()) },
		"reset": func(c *counted) {
			watchable(t) // other systems do not report a reset
			require.NoError(t, c.there.SetLinger(0))
			require.NoError(t, c.there.Close())
		},
	} {
		c := newCounted(t)
		end(c)
		c.clock.Advance(2 * d)
		require.Equal(t, 1, c.calls, name)
		require.NoError(t, c.conn.Close(), "it has been closed as idle")
	}
}

// Every few idle times a handler reads a little of data that arrived more than sixty-four idle times ago.
func TestSlowReaderOfAWatchedConnIsNotIdle(t *testing.T) {
	watchable(t)
	t.Parallel()
	const d, size = 40 * time.Millisecond, 2 * unreadIdleTimes / 6 // a busy machine may stop the test for two seconds
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

// A socket whose buffer is full accepts no data for a long time, although the peer reads, so no Write counts during
// that time. The shrinking buffer shows that the peer reads.
func TestPeerThatReadsFromAFullBufferKeepsAConnOpen(t *testing.T) {
	watchable(t) // elsewhere, including gVisor, no socket is queried
	for name, opts := range map[string][]idle.Option{
		"":                   nil,
		"WithReceivedOnly: ": {idle.WithReceivedOnly()}, // neither sent nor unsent data counts
	} {
		clock, tm := timertest.NewManual()
		here, there := connect(t, "unix", "")
		require.NoError(t, here.SetWriteDeadline(time.Now().Add(short/8)))
		message := make([]byte, 1000)
		for err := error(nil); err == nil; {
			_, err = here.Write(message)
		}
		calls := 0
		_, err := idle.NewConn(tm, here, d, append(opts, idle.WithOnIdle(func(net.Conn) { calls++ }))...)
		require.NoError(t, err)
		clock.Advance(d + tick)
		if opts != nil {
			require.Equal(t, 1, calls, name)
			continue
		}
		for range 10 {
			_, err := io.ReadFull(there, message)
			require.NoError(t, err)
			clock.Advance(d + tick)
			require.Zero(t, calls)
		}
		clock.Advance(d + tick)
		require.Equal(t, 1, calls, "once the peer has stopped")
	}
}

func TestEmptyDatagramDoesNotCount(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("unread datagrams are counted otherwise here")
	}
	for datagram, want := range map[string]error{"": idle.ErrIdle, "data": nil} {
		for state, isRead := range map[string]bool{"read": true, "unread": false} {
			clock, tm := timertest.NewManual()
			peer, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(t, err)
			defer peer.Close()
			here, err := net.DialUDP("udp", nil, peer.LocalAddr().(*net.UDPAddr))
			require.NoError(t, err)
			conn, err := idle.NewConn(tm, here, d)
			require.NoError(t, err)
			defer conn.Close()

			clock.Advance(d / 2)
			_, err = peer.WriteTo([]byte(datagram), here.LocalAddr())
			require.NoError(t, err)
			if isRead {
				_, err = conn.Read(make([]byte, 100))
				require.NoError(t, err)
			}
			clock.Advance(d - tick)
			_, err = io.WriteString(conn, "answer")
			require.Equal(t, want, err, "%q, %s", datagram, state)
		}
	}
}
