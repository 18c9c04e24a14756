package idle_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

// room returns how many timeouts a timer takes.
func room(tm *hashedwheel.Timer) (n int) {
	var armed []*hashedwheel.Timeout
	for {
		to, err := tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
		if err != nil {
			break
		}
		armed = append(armed, to)
	}
	for _, to := range armed {
		to.Stop()
	}
	return len(armed)
}

// A Conn takes one permit when it is made, also without an idle time, and returns it, once, in whatever way it ends.
func TestConnThatEndsReturnsItsPermit(t *testing.T) {
	due := func() { timertest.Pass(d + tick) }
	for name, end := range map[string]func(c *idle.Conn, run func()){
		"Close":                       func(c *idle.Conn, _ func()) { c.Close() },
		"Close without an idle time":  func(c *idle.Conn, _ func()) { c.SetIdleTimeout(0); c.Close() },
		"Close when due":              func(c *idle.Conn, run func()) { due(); c.Close(); run() },
		"Close, and the task is lost": func(c *idle.Conn, _ func()) { due(); c.Close() },
		"SetIdleTimeout, Close":       func(c *idle.Conn, run func()) { due(); c.SetIdleTimeout(d); run(); c.Close() },
		"idle, Close":                 func(c *idle.Conn, run func()) { due(); run(); c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := new(timertest.HeldBack)
				tm := newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(pool))
				for range 3 {
					here, _ := net.Pipe()
					c, err := idle.NewConn(tm, here, d)
					require.NoError(t, err)
					require.Zero(t, room(tm))
					end(c, func() { pool.Release() })
					require.Equal(t, 1, room(tm))
				}
			})
		})
	}
}

func TestWatcherStopReturnsItsPermit(t *testing.T) {
	watchable(t)
	tm := newTimer(t, hashedwheel.WithMaxPending(1))
	here, _ := tcp(t)
	w, err := idle.Watch(tm, here, time.Hour, func(net.Conn) {})
	require.NoError(t, err)
	require.Zero(t, room(tm))
	require.True(t, w.Stop())
	require.False(t, w.Stop())
	require.Equal(t, 1, room(tm))
}

// While the task of a Conn waits in the executor, another timeout takes the last permit.
func TestConnInUseIsNeverRefused(t *testing.T) {
	for name, use := range map[string]func(*testing.T, scene){
		"data":           func(t *testing.T, s scene) { s.say(t) },
		"SetIdleTimeout": func(_ *testing.T, s scene) { s.conn.SetIdleTimeout(d) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := new(timertest.HeldBack)
				tm := newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(pool))
				here, there := net.Pipe()
				conn, err := idle.NewConn(tm, here, d)
				require.NoError(t, err)
				timertest.Pass(d + tick)
				_, err = tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
				require.NoError(t, err)
				use(t, scene{tm, conn, there})
				synctest.Wait()
				pool.Release() // the look arms the timeout again, or is overtaken
				_, err = idle.NewConn(tm, there, d)
				require.Equal(t, hashedwheel.ErrFull, err)
				require.Equal(t, 2, tm.Pending())
				timertest.Pass(d + tick)
				pool.Release()
				_, err = conn.Read(make([]byte, 1))
				require.Equal(t, idle.ErrIdle, err)
			})
		})
	}
}
