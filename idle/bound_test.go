package idle_test

import (
	"math/rand/v2"
	"net"
	"runtime"
	"runtime/debug"
	"strings"
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

// members are the Conns of one Timer. They are also its executor and clock. User code goes wrong if the test says so.
type members struct {
	*rand.Rand
	tm    *hashedwheel.Timer
	conns []*idle.Conn
	peers []net.Conn
	pool  timertest.HeldBack
	tasks []func() // that it held back

	clockFails, onIdleFails atomic.Pointer[func()]
}

func (m *members) Go(f func())                            { m.pool.Go(f) }
func (m *members) After(d time.Duration) <-chan time.Time { return time.After(d) }
func (m *members) delay() time.Duration                   { return time.Duration(m.IntN(20)) * tick }
func (m *members) onIdle(net.Conn)                        { fail(&m.onIdleFails) }

// Now fails in a task of a Conn alone, since nobody survives a panic of the worker's.
func (m *members) Now() time.Time {
	if m.clockFails.Load() != nil && strings.Contains(string(debug.Stack()), ".(*limit).look(") {
		fail(&m.clockFails)
	}
	return time.Now()
}

// fail does what the test has asked for, once.
func fail(what *atomic.Pointer[func()]) {
	if f := what.Swap(nil); f != nil {
		(*f)()
	}
}

// taken returns how many places are taken, by those who should have one.
func (m *members) taken() (n int) {
	for _, c := range m.conns {
		if s := c.String(); !strings.Contains(s, "ended") && !strings.Contains(s, "was idle") {
			n++
		}
	}
	return n
}

func (m *members) step() {
	i := m.IntN(len(m.conns) + 1)
	if i == len(m.conns) {
		here, there := net.Pipe()
		c, err := idle.NewConn(m.tm, here, m.delay(), idle.WithOnIdle(m.onIdle)) // 0: no idle time
		if err == nil {
			m.conns, m.peers = append(m.conns, c), append(m.peers, there)
		}
		return
	}
	switch c := m.conns[i]; m.IntN(7) {
	case 0:
		_ = c.Close()
	case 1:
		c.SetIdleTimeout(m.delay())
	case 2:
		_ = c.NetConn().Close()
	case 3:
		_ = m.peers[i].SetWriteDeadline(time.Now().Add(1))
		go func() { _, _ = m.peers[i].Write([]byte("!")) }()
		_ = c.SetReadDeadline(time.Now().Add(1))
		_, _ = c.Read(make([]byte, 1))
	case 4:
		timertest.Pass(m.delay())
	default:
		m.runTask()
	}
}

// runTask runs the task that has waited longest in the executor, or loses it, with user code that may go wrong.
func (m *members) runTask() {
	m.tasks = append(m.tasks, m.pool.Forget()...)
	if len(m.tasks) == 0 {
		return
	}
	f := m.tasks[0]
	m.tasks = m.tasks[1:]
	what := []*atomic.Pointer[func()]{&m.clockFails, &m.onIdleFails}[m.IntN(2)]
	exits, panics := runtime.Goexit, timertest.PanicHere
	switch m.IntN(8) {
	case 0:
		return
	case 1:
		what.Store(&exits)
	case 2:
		what.Store(&panics)
	}
	go f()
	synctest.Wait()
	what.Store(nil)
}

// A Conn takes its place when it is made, and gives it back when it is closed, in whatever way: in each moment as many
// places are taken as there are Conns that are open, also without an idle time.
func TestConnsTakeExactlyTheirPlaces(t *testing.T) {
	const bound = 8
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			m := &members{Rand: rand.New(rand.NewPCG(seed, 1))}
			m.tm = newTimer(t, hashedwheel.WithMaxPending(bound), hashedwheel.WithClock(m), hashedwheel.WithExecutor(m),
				hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
			defer m.tm.Stop()
			for i := range 400 {
				synctest.Wait()
				m.step()
				synctest.Wait()
				require.Equal(t, bound-m.taken(), room(m.tm), "seed %d, step %d", seed, i)
			}
			for _, c := range m.conns {
				_ = c.Close()
			}
			require.Equal(t, bound, room(m.tm), "seed %d, all have ended", seed)
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
