package idle_test

import (
	"net"
	"runtime"
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

// A watch gives its place back in whatever way it ends.
func TestWatchThatEndsGivesItsPlaceBack(t *testing.T) {
	watchable(t)
	type watch struct {
		*idle.Watcher
		conn  *hooked
		due   func() // has the task of the idle time wait in the executor
		tasks *timertest.HeldBack
	}
	fails := false
	tests := map[string]func(w watch){
		"Stop":             func(w watch) { w.Stop() },
		"Stop when due":    func(w watch) { w.due(); w.Stop(); w.tasks.Release() },
		"idle":             func(w watch) { w.due(); w.tasks.Release() },
		"onIdle panics":    func(w watch) { fails = true; w.due(); w.tasks.Release() },
		"closed":           func(w watch) { _ = w.conn.Close(); w.due(); w.tasks.Release() },
		"the socket fails": func(w watch) { w.conn.beforeAsk = timertest.PanicHere; w.due(); w.tasks.Release() },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			clock, w := hashedwheel.NewManualClock(time.Now()), watch{tasks: new(timertest.HeldBack)}
			tm := newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithClock(clock),
				hashedwheel.WithExecutor(w.tasks), hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
			here, _ := tcp(t)
			w.conn = &hooked{TCPConn: here}
			calls := 0
			var err error
			w.Watcher, err = idle.Watch(tm, w.conn, short/8, func(net.Conn) {
				calls++
				assert.Zero(t, room(tm), "it is about to close the connection")
				if fails {
					panic("on purpose")
				}
			})
			require.NoError(t, err)
			w.due = func() {
				time.Sleep(short / 4) // for the kernel
				clock.Advance(short / 4)
				require.Zero(t, room(tm), "its task waits")
			}
			require.Zero(t, room(tm))
			end(w)
			assert.Equal(t, 1, room(tm))
			assert.False(t, w.Stop())
			assert.Equal(t, name == "idle" || name == "onIdle panics", calls == 1)
			assert.Equal(t, 1, room(tm))
			fails = false
		})
	}
}

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

// brokenClock is the bubble's clock, and panics while it is broken.
type brokenClock struct{ isBroken atomic.Bool }

func (c *brokenClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (c *brokenClock) Now() time.Time {
	if c.isBroken.Load() {
		timertest.PanicHere()
	}
	return time.Now()
}

// A Conn takes one place when it is made, also without an idle time, and gives it back, once, in whatever way it ends.
func TestConnThatEndsGivesItsPlaceBack(t *testing.T) {
	type scene struct {
		*idle.Conn
		onIdle func()
		clock  brokenClock
		due    func()            // has the task of the idle time wait in the executor
		run    func(f ...func()) // runs the task, with f before it
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
		"the clock panics":            func(s *scene) { s.due(); s.run(func() { s.clock.isBroken.Store(true) }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, pool := &scene{onIdle: func() {}}, new(timertest.HeldBack)
				tm := newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithClock(&s.clock),
					hashedwheel.WithExecutor(pool), hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
				s.due = func() {
					timertest.Pass(d + tick)
					require.Zero(t, room(tm), "its task waits")
				}
				s.run = func(before ...func()) {
					for _, f := range before {
						f()
					}
					go pool.Release()
					synctest.Wait()
					s.clock.isBroken.Store(false)
				}
				for range 3 {
					here, _ := net.Pipe()
					c, err := idle.NewConn(tm, here, d, idle.WithOnIdle(func(net.Conn) { s.onIdle() }))
					require.NoError(t, err)
					require.Zero(t, room(tm))
					s.Conn = c
					end(s)
					require.Equal(t, 1, room(tm))
				}
			})
		})
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

// A panic handler gets the Timeout of a Conn and can arm it when the Conn has ended: it has a place until it has run.
func TestTimeoutOfAnEndedConnGivesItsPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timeout *hashedwheel.Timeout
		handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { timeout = to })
		tm := newTimer(t, hashedwheel.WithMaxPending(1), handler)
		here, _ := net.Pipe()
		_, err := idle.NewConn(tm, here, d, idle.WithOnIdle(func(net.Conn) { panic("on purpose") }))
		require.NoError(t, err)
		timertest.Pass(d + tick)
		timeout.Reset(d)
		require.NoError(t, timeout.Err())
		require.Zero(t, room(tm))
		timertest.Pass(d + tick)
		require.Equal(t, 1, room(tm))
	})
}
