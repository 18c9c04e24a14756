package idle_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

func TestConnStaysOpenThroughDataInOneDirection(t *testing.T) {
	tests := map[string]func(scene, *testing.T){
		"received": scene.isOpen,
		"sent":     scene.say,
	}
	for name, talk := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, s scene) {
				for range 20 {
					time.Sleep(d - tick)
					talk(s, t)
				}
				s.closedAfter(t, d)
			})
		})
	}
}

func TestErrIdleIsATimeoutAndNotErrClosed(t *testing.T) {
	var ne net.Error
	require.ErrorAs(t, idle.ErrIdle, &ne)
	require.True(t, ne.Timeout())
	require.ErrorIs(t, idle.ErrIdle, os.ErrDeadlineExceeded)
	require.NotErrorIs(t, idle.ErrIdle, net.ErrClosed)
	require.NotContains(t, idle.ErrIdle.Error(), "use of closed")
}

func TestConnBlockedCallsReturnErrIdle(t *testing.T) {
	blocked := map[string]func(*idle.Conn) error{
		"Read":     func(c *idle.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"Write":    func(c *idle.Conn) error { _, err := c.Write([]byte("!")); return err },
		"ReadFrom": func(c *idle.Conn) error { _, err := c.ReadFrom(endless{}); return err },
		"WriteTo":  func(c *idle.Conn) error { _, err := c.WriteTo(io.Discard); return err },
	}
	for name, call := range blocked {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, s scene) {
				start := time.Now()
				require.Equal(t, idle.ErrIdle, call(s.conn))
				require.GreaterOrEqual(t, time.Since(start), d)
				require.Equal(t, idle.ErrIdle, call(s.conn), "and who comes later")
				require.NoError(t, s.conn.Close(), "it has been closed already, as was wanted")
			})
		})
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestReadAfterCloseDoesNotReturnErrIdle(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) {
		read := make(chan error, 1)
		go func() {
			_, err := s.conn.Read(make([]byte, 1))
			read <- err
		}()
		time.Sleep(d / 2)
		require.NoError(t, s.conn.Close())
		require.ErrorIs(t, <-read, io.ErrClosedPipe)
		require.Zero(t, s.tm.Pending())
		time.Sleep(2 * d)
		_, err := s.conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	}, idle.WithOnIdle(func(net.Conn) { panic("it was not idle") }))
}

// A connection may be closed before NewConn, or by its owner behind the Conn's back. It was not idle.
func TestReadOfAClosedConnectionReturnsErrClosed(t *testing.T) {
	for name, opts := range map[string][]idle.Option{"watched": nil, "counted": {idle.WithCounting()}} {
		for moment, made := range map[string]bool{", closed before": false, ", closed after": true} {
			t.Run(name+moment, func(t *testing.T) {
				tm, clock := onHand(t)
				here, _ := tcp(t)
				if !made {
					require.NoError(t, here.Close())
				}
				notIdle := idle.WithOnIdle(func(net.Conn) { t.Error("not idle") })
				conn, err := idle.NewConn(tm, here, d, append(opts, notIdle)...)
				require.NoError(t, err)
				if made {
					require.NoError(t, here.Close())
				}
				clock.Advance(3 * d)
				require.Zero(t, tm.Pending())
				_, err = conn.Read(make([]byte, 1))
				require.ErrorIs(t, err, net.ErrClosed)
				require.ErrorIs(t, conn.Close(), net.ErrClosed)
			})
		}
	}
}

func TestEndOfDataStaysEndOfData(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) {
		_ = s.peer.Close()
		_, err := s.conn.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
	})
}

func TestSetIdleTimeout(t *testing.T) {
	const never = 0
	tests := map[string]struct {
		change func(*idle.Conn) // after half the idle time
		left   time.Duration
	}{
		"later":               {func(c *idle.Conn) { c.SetIdleTimeout(3 * d) }, 3 * d},
		"sooner":              {func(c *idle.Conn) { c.SetIdleTimeout(d / 10) }, d / 10},
		"none":                {func(c *idle.Conn) { c.SetIdleTimeout(0) }, never},
		"negative is none":    {func(c *idle.Conn) { c.SetIdleTimeout(-1) }, never},
		"none, then anew":     {func(c *idle.Conn) { c.SetIdleTimeout(0); c.SetIdleTimeout(d) }, d},
		"as long as can be":   {func(c *idle.Conn) { c.SetIdleTimeout(1<<63 - 1) }, never},
		"not after the close": {func(c *idle.Conn) { c.Close(); c.SetIdleTimeout(d) }, never},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, s scene) {
				time.Sleep(d / 2)
				tt.change(s.conn)
				if tt.left != never {
					s.closedAfter(t, tt.left)
					return
				}
				time.Sleep(100 * d)
				_ = s.conn.SetReadDeadline(time.Now())
				_, err := s.conn.Read(make([]byte, 1))
				require.NotEqual(t, idle.ErrIdle, err)
			})
		})
	}
}

func TestConnWithoutIdleTimeStaysOpenUntilSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTimer(t)
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, 0)
		require.NoError(t, err)
		s := scene{tm, conn, there}
		time.Sleep(100 * d)
		s.isOpen(t)
		require.Equal(t, 1, tm.Pending(), "it keeps its place, and talking does not begin an idle time")
		conn.SetIdleTimeout(d)
		s.closedAfter(t, d)
	})
}

func TestStoppedTimerClosesNoConn(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) {
		require.Len(t, s.tm.Stop(), 1)
		time.Sleep(2 * d)
		s.isOpen(t)
		s.conn.SetIdleTimeout(d)
		time.Sleep(2 * d)
		s.isOpen(t)
	})
}

func TestNewConnReturnsErrFullAndErrStopped(t *testing.T) {
	here, _ := net.Pipe()
	full := newTimer(t, hashedwheel.WithMaxPending(1))
	full.AfterFunc(time.Hour, func() {})
	_, err := idle.NewConn(full, here, d)
	require.ErrorIs(t, err, hashedwheel.ErrFull)

	stopped := newTimer(t)
	stopped.Stop()
	_, err = idle.NewConn(stopped, here, d)
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
	require.NoError(t, here.SetDeadline(time.Now()))
	_, err = here.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is the caller's, and open")
}

func TestCloseWriteAndCloseRead(t *testing.T) {
	tm := newTimer(t)
	here, there := tcp(t)
	conn, err := idle.NewConn(tm, here, time.Hour)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.CloseWrite())
	_, err = there.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	require.NoError(t, conn.CloseRead())
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err, "io.EOF, on Windows another")

	pipe, _ := net.Pipe()
	whole, err := idle.NewConn(tm, pipe, 0)
	require.NoError(t, err)
	require.ErrorIs(t, whole.CloseWrite(), errors.ErrUnsupported)
	require.ErrorIs(t, whole.CloseRead(), errors.ErrUnsupported)
	require.Equal(t, pipe, whole.NetConn())
}
