package idle_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

func listen(t *testing.T, tm *hashedwheel.Timer, d time.Duration, opts ...idle.Option) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return idle.NewListener(tm, l, d, opts...)
}

func dial(t *testing.T, l net.Listener) net.Conn {
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestListenerOverPipesClosesSilentConnectionsInABubble(t *testing.T) {
	echoClosesSilentConnections(t)
}

// A connection without an idle time also counts.
func TestListenerOfAFullTimerClosesTheConnectionAndAcceptsTheNext(t *testing.T) {
	l := listen(t, newTimer(t, hashedwheel.WithMaxPending(1)), 0)
	first := dial(t, l)
	c, err := l.Accept()
	require.NoError(t, err)
	accepted := make(chan net.Conn)
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	refused := dial(t, l)
	_, err = refused.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)

	require.NoError(t, c.Close())
	_, err = first.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	third := dial(t, l)
	timertest.Returns(t, func() { c = <-accepted })
	require.Equal(t, third.LocalAddr().String(), c.RemoteAddr().String())
	require.NoError(t, c.Close())
}

// A server that got an error from Accept stops accepting. If the port stayed open, clients would connect, and wait in
// vain for an answer.
func TestListenerOfAStoppedTimerEndsAccept(t *testing.T) {
	tm := newTimer(t)
	l := listen(t, tm, time.Minute)
	peer := dial(t, l)
	tm.StopAll()
	_, err := l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
	_, err = peer.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	c, err := net.DialTimeout("tcp", l.Addr().String(), 20*time.Second)
	if err == nil {
		_ = c.Close()
	}
	require.Error(t, err, "refused")
	var ne net.Error
	require.False(t, errors.As(err, &ne) && ne.Timeout(), "refused at once")
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestFromContextFindsTheConn(t *testing.T) {
	pipe, _ := net.Pipe()
	conn, err := idle.NewConn(newTimer(t), pipe, 0)
	require.NoError(t, err)
	for c, want := range map[net.Conn]*idle.Conn{
		conn:                              conn,
		tls.Server(conn, new(tls.Config)): conn,
		tls.Server(tls.Server(conn, new(tls.Config)), new(tls.Config)): conn,
		pipe: nil,
		nil:  nil,
	} {
		got, ok := idle.FromContext(idle.ConnContext(context.Background(), c))
		require.Equal(t, want != nil, ok, "%T", c)
		require.Same(t, want, got, "%T", c)
	}
}
