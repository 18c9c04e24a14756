package idle_test

import (
	"io"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

// room returns how many timeouts a timer takes.
func room(tm *hashedwheel.Timer) int {
	var armed []*hashedwheel.Timeout
	for {
		to, err := tm.Schedule(time.Hour, timertest.NopTask)
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

// A Conn takes one place when it is made, also without an idle time, and gives it back, once, in whatever way it ends.
func TestConnThatEndsGivesItsPlaceBack(t *testing.T) {
	type scene struct {
		*idle.Conn
		onIdle func()
		due    func() // has the task of the idle time wait in the executor
		run    func() // runs the task
	}
	for name, end := range map[string]func(s *scene){
		"Close":                       func(s *scene) { s.Close() },
		"Close without an idle time":  func(s *scene) { s.SetIdleTimeout(0); s.Close() },
		"Close when due":              func(s *scene) { s.due(); s.Close(); s.run() },
		"Close, and the task is lost": func(s *scene) { s.due(); s.Close() },
		"a longer idle time, Close":   func(s *scene) { s.due(); s.SetIdleTimeout(time.Hour); s.run(); s.Close() },
		"idle":                        func(s *scene) { s.due(); s.run() },
		"idle, and closed again":      func(s *scene) { s.due(); s.run(); s.Close() },
		"onIdle panics":               func(s *scene) { s.onIdle = timertest.PanicHere; s.due(); s.run() },
		"onIdle calls Goexit":         func(s *scene) { s.onIdle = runtime.Goexit; s.due(); s.run() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, pool := &scene{onIdle: func() {}}, new(timertest.HeldBack)
				tm := newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(pool),
					hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
				s.due = func() {
					timertest.Pass(d + tick)
					require.Zero(t, room(tm), "its task waits")
				}
				s.run = func() {
					go pool.Release()
					synctest.Wait()
				}
				for range 3 {
					here, there := net.Pipe()
					c, err := idle.NewConn(tm, here, d, idle.WithOnIdle(func(net.Conn) { s.onIdle() }))
					require.NoError(t, err)
					require.Zero(t, room(tm))
					s.Conn = c
					end(s)
					require.Equal(t, 1, room(tm))
					_, err = there.Read(make([]byte, 1))
					require.Equal(t, io.EOF, err, "it is closed")
				}
			})
		})
	}
}

func TestWatchThatEndsGivesItsPlaceBack(t *testing.T) {
	watchable(t)
	for name, end := range map[string]func(*idle.Watcher, net.Conn){
		"Stop":   func(w *idle.Watcher, _ net.Conn) { require.True(t, w.Stop()) },
		"closed": func(_ *idle.Watcher, c net.Conn) { require.NoError(t, c.Close()) },
	} {
		clock, pool := hashedwheel.NewManualClock(time.Now()), new(timertest.HeldBack)
		tm := newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool))
		here, _ := tcp(t)
		w, err := idle.Watch(tm, here, d, func(net.Conn) { t.Error("not idle") })
		require.NoError(t, err)
		clock.Advance(2 * d)
		require.Zero(t, room(tm), "its task waits")
		end(w, here)
		require.Equal(t, 1, pool.Release())
		require.Equal(t, 1, room(tm), name)
		require.False(t, w.Stop())
	}
}

// A lingering connection takes long to close, as one of TLS may.
type lingering struct{ net.Conn }

func (l lingering) Close() error {
	time.Sleep(10 * d)
	return l.Conn.Close()
}

func TestConnKeepsItsPlaceUntilItIsClosed(t *testing.T) {
	for name, end := range map[string]func(c *idle.Conn){
		"Close": func(c *idle.Conn) { go c.Close() },
		"idle":  func(*idle.Conn) { timertest.Pass(d) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := newTimer(t, hashedwheel.WithMaxPending(1))
				here, _ := net.Pipe()
				c, err := idle.NewConn(tm, lingering{here}, d)
				require.NoError(t, err)
				end(c)
				timertest.Pass(5 * d)
				require.Zero(t, room(tm), "it is still open")
				timertest.Pass(6 * d)
				require.Equal(t, 1, room(tm))
			})
		})
	}
}
