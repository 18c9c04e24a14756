package idle_test

import (
	"errors"
	"flag"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

// Many of these tests wait for the kernel's clock rather than for a processor, so more of them than there are
// processors may run at once.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "16")
	timertest.VerifyMain(m)
}

const (
	d    = time.Second // the idle time, where time is virtual
	tick = 10 * time.Millisecond
)

// A scene is a Conn and its peer over a net.Pipe, on virtual time: the Conn itself counts the data.
type scene struct {
	tm   *hashedwheel.Timer
	conn *idle.Conn
	peer net.Conn
}

// virtual runs f in a bubble with a Conn that has just been made. The timer is full even while the Conn's task waits or
// runs, and never refuses a Conn that it holds.
func virtual(t *testing.T, f func(t *testing.T, s scene), opts ...idle.Option) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTimer(t, hashedwheel.WithMaxPending(1))
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, d, opts...)
		require.NoError(t, err)
		full := tm.AfterFunc(1000*time.Hour, timertest.Nop)
		f(t, scene{tm, conn, there})
		full.Stop()
		_ = conn.Close()
		_ = there.Close()
		require.Zero(t, tm.Pending(), "Close leaves nothing pending")
	})
}

func newTimer(t *testing.T, opts ...hashedwheel.Option) *hashedwheel.Timer {
	tm := hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(tick)}, opts...)...)
	t.Cleanup(func() { tm.StopAll() })
	return tm
}

// closedAfter waits until the Conn has been closed as idle, and asserts that it took want, and at most a tick more.
func (s scene) closedAfter(t *testing.T, want time.Duration) {
	t.Helper()
	start := time.Now()
	_, err := io.Copy(io.Discard, s.peer)
	require.NoError(t, err)
	took := time.Since(start)
	require.GreaterOrEqual(t, took, want)
	require.LessOrEqual(t, took, want+tick)
	synctest.Wait()
	_, err = s.conn.Read(make([]byte, 1))
	require.Equal(t, idle.ErrIdle, err)
}

// isOpen asserts that the Conn still carries data.
func (s scene) isOpen(t *testing.T) {
	t.Helper()
	go func() { _, _ = s.peer.Write([]byte("?")) }()
	_, err := s.conn.Read(make([]byte, 1))
	require.NoError(t, err)
}

// connect returns both ends of a connection over loopback. It skips the test if the system lacks the network.
func connect(t testing.TB, network, address string) (here, there net.Conn) {
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip("not here:", err)
	}
	defer l.Close()
	there, err = net.Dial(network, l.Addr().String())
	require.NoError(t, err)
	here, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = here.Close(), there.Close() })
	return here, there
}

func tcp(t testing.TB) (here, there *net.TCPConn) {
	a, b := connect(t, "tcp", "127.0.0.1:0")
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

// discard reads c to its end: unread data keeps a connection open.
func discard(c net.Conn) { go func() { _, _ = io.Copy(io.Discard, c) }() }

// watchable skips the test where the kernel does not count.
func watchable(t testing.TB) {
	c, _ := tcp(t)
	w, err := idle.Watch(hashedwheel.MustNew(), c, time.Hour, func(net.Conn) {})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the kernel does not count")
	}
	require.NoError(t, err)
	require.True(t, w.Stop())
}
