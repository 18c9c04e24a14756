package idle_test

import (
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// Mistakes of other wrappers with an idle timeout, each ruled out by a test and named by a
// public thread.

// golang/go#21133: a wrapper that sets a deadline at each Read undoes its user's deadline: a
// deadline for a whole header never expires if the header trickles in.
func TestUserDeadlineEndsATrickle(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) {
		go func() {
			for err := error(nil); err == nil; _, err = s.peer.Write([]byte("!")) {
				time.Sleep(d - tick)
			}
		}()
		start := time.Now()
		require.NoError(t, s.conn.SetReadDeadline(start.Add(5*d)))
		_, err := io.Copy(io.Discard, s.conn)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NotEqual(t, idle.ErrIdle, err)
		require.Equal(t, 5*d, time.Since(start))
		_ = s.peer.Close()
		time.Sleep(d)
	})
}

func TestConnSetsNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		c := f.in(t)
		_, err := c.Write([]byte("!"))
		require.NoError(t, err)
		c.SetIdleTimeout(2 * d)
		time.Sleep(3 * d)
		require.NoError(t, c.Close())
		require.Zero(t, f.deadline.Load())
	})
}

// gliderlabs/ssh#179: programs got no call before the connection was closed.
func TestOnIdleRunsOnceBeforeTheClose(t *testing.T) {
	var calls atomic.Int32
	bye := idle.WithOnIdle(func(nc net.Conn) {
		calls.Add(1)
		c := nc.(*idle.Conn)
		_, _ = c.Write([]byte("bye"))
		c.SetIdleTimeout(d) // no lock is held, and too late
	})
	virtual(t, func(t *testing.T, s scene) {
		said, err := io.ReadAll(s.peer)
		require.NoError(t, err)
		require.Equal(t, "bye", string(said))
		time.Sleep(3 * d)
		require.EqualValues(t, 1, calls.Load())
	}, bye)
}

// A farewell to a peer that reads nothing would block forever, and keep the connection open.
func TestOnIdleWriteDeadlineBoundsTheClose(t *testing.T) {
	const short = 50 * time.Millisecond
	farewell := make([]byte, 64<<20) // more than any buffer holds
	watched := func() (net.Conn, net.Conn) { here, there := tcp(t); return here, there }
	for name, connect := range map[string]func() (net.Conn, net.Conn){"watched": watched, "counted": net.Pipe} {
		t.Run(name, func(t *testing.T) {
			told, written, ended := make(chan error, 1), make(chan error, 1), make(chan error, 1)
			here, there := connect()
			c, err := idle.NewConn(newTimer(t), here, short, idle.WithOnIdle(func(c net.Conn) {
				_ = c.SetWriteDeadline(time.Now().Add(short))
				_, err := c.Write(farewell)
				told <- err
			}))
			require.NoError(t, err)
			go func() {
				_, err := c.Write(farewell)
				written <- err
			}()
			require.Equal(t, idle.ErrIdle, within(t, written))
			require.Equal(t, idle.ErrIdle, within(t, told))
			go func() {
				_, err := io.Copy(io.Discard, there)
				ended <- err
			}()
			require.NoError(t, within(t, ended))
			require.NoError(t, c.Close(), "it has been closed as idle")
		})
	}
}

func TestOnIdleMayClose(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) { s.closedAfter(t, d) },
		idle.WithOnIdle(func(c net.Conn) { _ = c.Close() }))
}

// netbirdio/netbird#5936, 9seconds/mtg#424: a relay with an idle timeout for each direction
// ended a download, because nothing was sent the other way.
func TestLongDownloadThroughARelayIsNotIdle(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T) (here, there net.Conn){
		"watched": func(t *testing.T) (net.Conn, net.Conn) { return tcp2(tcp(t)) },
		"counted": func(*testing.T) (net.Conn, net.Conn) { return net.Pipe() },
	}
	for name, connect := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inSteps(t, short, func(each func(talk func())) (check func()) {
				tm := newTimer(t)
				client, toRelay := connect(t)
				server, fromRelay := connect(t)
				a, err := idle.NewConn(tm, toRelay, short)
				require.NoError(t, err)
				b, err := idle.NewConn(tm, fromRelay, short)
				require.NoError(t, err)
				ends := make(chan error, 2)
				go func() { _, err := io.Copy(a, b); ends <- err }()
				go func() { _, err := io.Copy(b, a); ends <- err }()
				received := make(chan struct{}, 3*8)
				go func() { // one word of request, then only answers
					_, _ = client.Write([]byte("?"))
					for word := make([]byte, 1); ; received <- struct{}{} {
						if _, err := client.Read(word); err != nil {
							close(received)
							return
						}
					}
				}()
				var failed error
				each(func() { _, failed = server.Read(make([]byte, 1)) })
				for range 3 * 8 {
					each(func() {
						if failed == nil {
							_, failed = server.Write([]byte("!"))
						}
						if _, ok := <-received; !ok {
							failed = io.EOF
						}
					})
				}
				first, second := within(t, ends), within(t, ends)
				_, _ = client.Close(), server.Close()
				return func() {
					require.NoError(t, failed)
					require.ErrorIs(t, first, idle.ErrIdle, "when all is silent, both ways end")
					require.ErrorIs(t, second, idle.ErrIdle)
				}
			})
		})
	}
}

func tcp2(a, b *net.TCPConn) (net.Conn, net.Conn) { return a, b }
