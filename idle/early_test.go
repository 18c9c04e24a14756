package idle_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

// The kernel counts from the last data. An idle time that is set later counts from the call.

// notBefore waits until there reports the end of the connection, and asserts that it did not
// come earlier than d after start.
func notBefore(t *testing.T, there net.Conn, start time.Time, d time.Duration) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, there)
		ended <- err
	}()
	require.NoError(t, within(t, ended))
	require.GreaterOrEqual(t, time.Since(start), d)
}

// A hooked connection calls beforeAsk and afterAsk, unless they are nil, around each query of its socket.
type hooked struct {
	*net.TCPConn
	beforeAsk, afterAsk func()
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
	if s.conn.beforeAsk != nil {
		s.conn.beforeAsk()
	}
	if s.conn.afterAsk != nil {
		defer s.conn.afterAsk()
	}
	return s.RawConn.Control(f)
}

// The idle time is set after the kernel has answered that the connection was idle, and before
// it is closed for that.
func TestNeverEarlyIdleTimeSetDuringTheKernelQuery(t *testing.T) {
	watchable(t)
	t.Parallel()
	tests := map[string]func(c *idle.Conn){
		"the same":            func(c *idle.Conn) { c.SetIdleTimeout(short / 4) },
		"none, then the same": func(c *idle.Conn) { c.SetIdleTimeout(0); c.SetIdleTimeout(short / 4) },
		"none, then longer":   func(c *idle.Conn) { c.SetIdleTimeout(0); c.SetIdleTimeout(short / 2) },
	}
	for name, set := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inner, there := tcp(t)
			var armed atomic.Bool
			var once sync.Once
			var conn *idle.Conn
			start := make(chan time.Time, 1)
			here := &hooked{TCPConn: inner, afterAsk: func() {
				if armed.Load() {
					once.Do(func() {
						start <- time.Now()
						set(conn)
					})
				}
			}}
			conn, err := idle.NewConn(newTimer(t), here, 0)
			require.NoError(t, err)
			armed.Store(true)
			conn.SetIdleTimeout(short / 4)
			notBefore(t, there, within(t, start), short/4)
		})
	}
}

// duringTheQuery calls f while the run of a Conn that counts itself queries the socket, when the idle time
// is over, before or after the answer.
func duringTheQuery(t *testing.T, before bool, f func(*idle.Conn)) *counted {
	c := newCounted(t)
	c.read(t, 4) // all
	discard(c.there)
	once := sync.OnceFunc(func() { f(c.conn) })
	if before {
		c.here.beforeAsk = once
	} else {
		c.here.afterAsk = once
	}
	c.clock.Advance(d)
	return c
}

func TestNeverEarlyWriteDuringTheQueryOfTheSocket(t *testing.T) {
	for moment, before := range map[string]bool{"before the answer": true, "after the answer": false} {
		t.Run(moment, func(t *testing.T) {
			wrote := false
			c := duringTheQuery(t, before, func(conn *idle.Conn) {
				_, err := conn.Write([]byte("!"))
				wrote = err == nil
			})
			require.True(t, wrote)
			c.clock.Advance(d - tick)
			require.Zero(t, c.told)
			c.clock.Advance(2 * d) // the data may have been in the socket's buffer for a moment
			require.Equal(t, 1, c.told)
		})
	}
}

func TestIdleTimeThatEndsDuringTheQueryOfTheSocketIsNotReached(t *testing.T) {
	for name, end := range map[string]func(*idle.Conn){
		"Close": func(conn *idle.Conn) { require.NoError(t, conn.Close()) },
		"none":  func(conn *idle.Conn) { conn.SetIdleTimeout(0) },
	} {
		t.Run(name, func(t *testing.T) {
			c := duringTheQuery(t, false, end)
			c.clock.Advance(2 * d)
			require.Zero(t, c.told)
		})
	}
}

// A read notes its time after a newer one has noted its own.
func TestNeverEarlyReadThatIsOvertakenByANewerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(timertest.InterruptedClock)
		tm := newTimer(t, hashedwheel.WithClock(clock))
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, d)
		require.NoError(t, err)
		s := scene{tm, conn, there}
		newer := func() {
			time.Sleep(d / 2)
			s.isOpen(t)
		}
		timertest.Pass(1) // the worker has read the clock
		clock.Then.Store(&newer)
		s.isOpen(t)
		s.closedAfter(t, d)
	})
}
