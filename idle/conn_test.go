package idle_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However much data there is, and however late the executor is, the task checks the connection about once per idle
// time.
func TestConnIsCheckedOncePerIdleTime(t *testing.T) {
	late := hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { time.AfterFunc(d/8, f) }))
	synctest.Test(t, func(t *testing.T) {
		tm := newTimer(t, late)
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, d)
		require.NoError(t, err)
		go func() { _, _ = io.Copy(io.Discard, there) }()
		for range 100 {
			time.Sleep(d / 5)
			_, err := conn.Write([]byte{0})
			require.NoError(t, err)
		}
		require.InDelta(t, 20, tm.Stats().Expired, 5)
		require.NoError(t, conn.Close())
	})
}

func TestErrIdleIsATimeoutButNotErrClosed(t *testing.T) {
	var ne net.Error
	require.ErrorAs(t, idle.ErrIdle, &ne)
	require.True(t, ne.Timeout())
	final, ok := idle.ErrIdle.(interface{ Temporary() bool })
	require.True(t, ok && !final.Temporary(), "crypto/tls keeps an error that is final")
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
				require.Equal(t, idle.ErrIdle, call(s.conn), "a later call")
				require.NoError(t, s.conn.Close(), "it has been closed already")
			})
		})
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// A connection may be closed before NewConn, or by its owner without the Conn's knowledge. It was not idle.
func TestReadOfAClosedConnectionReturnsErrClosed(t *testing.T) {
	for way, opts := range map[string][]idle.Option{"watched": nil, "counted": {idle.WithCounting()}} {
		for _, moment := range []string{"before NewConn", "behind the Conn", "by Close"} {
			t.Run(way+", "+moment, func(t *testing.T) {
				clock, tm := timertest.NewManual()
				here, _ := tcp(t)
				if moment == "before NewConn" {
					require.NoError(t, here.Close())
				}
				notIdle := idle.WithOnIdle(func(net.Conn) { t.Error("not idle") })
				conn, err := idle.NewConn(tm, here, d, append(opts, notIdle)...)
				require.NoError(t, err)
				switch moment {
				case "behind the Conn":
					require.NoError(t, here.Close())
				case "by Close":
					require.NoError(t, conn.Close())
				}
				clock.Advance(3 * d)
				require.Zero(t, tm.Pending())
				require.Contains(t, conn.String(), "ended")
				_, err = conn.Read(make([]byte, 1))
				require.ErrorIs(t, err, net.ErrClosed)
				require.ErrorIs(t, conn.Close(), net.ErrClosed)
			})
		}
	}
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
		"none, then the same": {func(c *idle.Conn) { c.SetIdleTimeout(0); c.SetIdleTimeout(d) }, d},
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
				require.Zero(t, s.tm.Stats().Expired, "nor was there a look")
			})
		})
	}
}

// The run of a Conn waits in the executor while the idle time is set again and the timer stopped.
func TestStoppedTimerClosesNoConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := new(timertest.HeldBack)
		tm := newTimer(t, hashedwheel.WithExecutor(pool))
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, d)
		require.NoError(t, err)
		s := scene{tm, conn, there}
		timertest.Pass(d + tick)
		conn.SetIdleTimeout(d)
		require.Empty(t, tm.StopAll())
		timertest.Pass(2 * d)
		require.Equal(t, 1, pool.Release())
		require.Zero(t, tm.Stats().Rejected, "the run has not armed it")
		s.isOpen(t)
		conn.SetIdleTimeout(d)
		timertest.Pass(2 * d)
		require.Zero(t, pool.Release())
		s.isOpen(t)
	})
}

func TestFullAndStoppedTimersRefuseConnections(t *testing.T) {
	full, stopped := newTimer(t, hashedwheel.WithMaxPending(1)), newTimer(t)
	full.AfterFunc(time.Hour, func() {})
	stopped.StopAll()
	here, there := tcp(t)
	for tm, want := range map[*hashedwheel.Timer]error{full: hashedwheel.ErrFull, stopped: hashedwheel.ErrStopped} {
		_, err := idle.NewConn(tm, here, d)
		require.ErrorIs(t, err, want)
		_, err = idle.Watch(tm, here, d, func(net.Conn) {})
		if !errors.Is(err, errors.ErrUnsupported) {
			require.ErrorIs(t, err, want)
		}
	}
	_, err := here.Write([]byte("!"))
	require.NoError(t, err, "the connection is the caller's, and open")
	_, err = there.Read(make([]byte, 1))
	require.NoError(t, err)
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

// golang/go#21133: a wrapper that sets a deadline at each Read undoes its user's deadline: a deadline for a whole
// header never expires if the header trickles in.
func TestConnSetsNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		c := f.in(t)
		_, err := c.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		_, err = c.Write([]byte("!"))
		require.NoError(t, err)
		c.SetIdleTimeout(2 * d)
		time.Sleep(3 * d)
		require.NoError(t, c.Close())
		require.Zero(t, f.deadline.Load())
	})
}

// gliderlabs/ssh#179: programs were not notified before the connection was closed.
func TestOnIdleRunsOnceBeforeTheClose(t *testing.T) {
	var calls atomic.Int32
	bye := idle.WithOnIdle(func(nc net.Conn) {
		calls.Add(1)
		c := nc.(*idle.Conn)
		_, _ = c.Write([]byte("bye"))
		c.SetIdleTimeout(d) // no lock is held, and the call comes too late
		_ = c.Close()
	})
	virtual(t, func(t *testing.T, s scene) {
		said, err := io.ReadAll(s.peer)
		require.NoError(t, err)
		require.Equal(t, "bye", string(said))
		time.Sleep(3 * d)
		require.EqualValues(t, 1, calls.Load())
	}, bye)
}

// All methods of a Conn are called at once: the func of WithOnIdle is called at most once, and nothing is left pending.
func TestConcurrentUseOfAConn(t *testing.T) {
	t.Parallel()
	tm := newTimer(t, hashedwheel.WithTick(time.Millisecond))
	for range 100 {
		var told atomic.Int32
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, time.Millisecond, idle.WithOnIdle(func(net.Conn) {
			assert.EqualValues(t, 1, told.Add(1))
		}))
		require.NoError(t, err)
		var running sync.WaitGroup
		running.Go(func() { _, _ = io.Copy(there, there) })
		running.Go(func() { _, _ = io.Copy(io.Discard, conn) })
		running.Go(func() {
			for {
				if _, err := conn.Write([]byte("!")); err != nil {
					return
				}
				time.Sleep(rand.N(2 * time.Millisecond))
			}
		})
		for range 2 {
			running.Go(func() {
				for range 10 {
					conn.SetIdleTimeout(rand.N(3 * time.Millisecond))
					_ = fmt.Sprintf("%+v", conn) // the race detector sees fields that fmt reads
					time.Sleep(rand.N(time.Millisecond))
				}
				_ = conn.Close()
				_ = there.Close()
			})
		}
		running.Wait()
	}
	require.Empty(t, timertest.Shutdown(t, tm))
}

func TestStringShowsConnectionAndState(t *testing.T) {
	for want, change := range map[string]func(s scene){
		"1s":           func(scene) {},
		"no idle time": func(s scene) { s.conn.SetIdleTimeout(0) },
		"ended":        func(s scene) { s.conn.Close() },
		"was idle":     func(scene) { timertest.Pass(d + tick) },
	} {
		virtual(t, func(t *testing.T, s scene) {
			change(s)
			require.Equal(t, "idle.Conn(pipe->pipe, "+want+")", s.conn.String())
		})
	}
	tm := newTimer(t)
	require.Regexp(t, `^idle\.Listener\(127\.0\.0\.1:\d+, 1h0m0s\)$`, listen(t, tm, time.Hour))
	socket, _ := tcp(t)
	w, err := idle.Watch(tm, socket, time.Hour, func(net.Conn) {})
	if err == nil {
		require.Regexp(t, `^idle\.Watcher\(127\.0\.0\.1:\d+->127\.0\.0\.1:\d+, 1h0m0s\)$`, w)
		require.True(t, w.Stop())
	}
	require.Equal(t, "idle.Conn(<nil>-><nil>, 1s)", new(fake).in(t).String())
	require.Equal(t, "idle.Conn(unused)", new(idle.Conn).String())
	require.Equal(t, "idle.Watcher(unused)", new(idle.Watcher).String())
	require.False(t, new(idle.Watcher).Stop())
}
