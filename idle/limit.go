package idle

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// A limit is the idle time of one connection, and the timeout that ends it: the common part of a Watcher and a Conn.
// Data does not move the timeout. When it expires, its task checks how long the connection has been quiet: it queries
// the kernel, or, where the Conn counts, reads the time of the last data, which each read and write notes.
//
//	no idle time ◀─▶ an idle time ─▶ reached   no data for that long: idle is called
//	     └────────────────┴────────▶ ended     by Stop or Close
//
// Without an idle time the timeout is armed for never, so that the connection counts under WithMaxPending.
//
// The setting is changed, and the timeout armed, under mu. The task queries the kernel without mu, because the
// connection may be the user's, and decides under mu, unless the setting has changed by then.
type limit struct {
	timeout      hashedwheel.Timeout     // armed under mu
	setting      atomic.Pointer[setting] // nil before start; changed under mu
	socket       *socket                 // nil: no socket to query
	kernelCounts bool
	receivedOnly bool
	name         string
	owner        interface{ idle() }

	begun      time.Time    // when start was called, on the timer's clock: other times count from it
	last       atomic.Int64 // the time of the last data, in ns; only where the Conn counts
	readClosed atomic.Bool  // by CloseRead: unread data does not count

	mu sync.Mutex
}

// A setting is the idle time that one call has set, and the findings of the last look. A second call makes a second
// setting, even for the same d: a look that began before the call cannot close the connection after it.
type setting struct {
	d         time.Duration // zero: no idle time
	since     time.Duration // the idle time begins no earlier
	queues    queues        // at the last look
	suspected time.Duration // when the last look suspected that the peer has vanished; zero: it did not
}

var none, ended, reached = new(setting), new(setting), new(setting)

// String returns the idle time, or the state of a limit without one.
func (s *setting) String() string {
	switch s {
	case none:
		return "no idle time"
	case ended:
		return "ended"
	case reached:
		return "was idle"
	}
	return s.d.String()
}

// never is a time after start that no clock reaches.
const never = 1 << 62

// unreadIdleTimes is the number of idle times for which unread data keeps a connection open. It is long enough for a
// working handler, and ends connections whose owner never reads.
const unreadIdleTimes = 64

// start binds the limit and arms it, which a full or stopped timer refuses.
func (l *limit) start(tm *hashedwheel.Timer, d time.Duration) error {
	l.timeout.Init(tm, l)
	l.begun = tm.Now()
	s := l.from(d)
	l.setting.Store(s)
	return l.timeout.ArmAt(l.begun.Add(l.firstLook(s)))
}

// now returns the time since start.
func (l *limit) now() time.Duration { return l.timeout.Timer().Now().Sub(l.begun) }

// from returns the setting of an idle time that begins now: none if d is not positive. It limits d, which could
// overflow.
func (l *limit) from(d time.Duration) *setting {
	if d <= 0 {
		return none
	}
	return &setting{d: min(d, never), since: l.now()}
}

// firstLook returns the time of the first look if the idle time begins now.
func (l *limit) firstLook(s *setting) time.Duration {
	if s.d == 0 {
		return never
	}
	return s.since + l.full(s.d)
}

// set changes the idle time, unless the limit has ended or was reached. The new idle time begins now.
func (l *limit) set(d time.Duration) {
	s := l.from(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.change(s) {
		l.arm(l.firstLook(s))
	}
}

// end reports whether this call ended the limit before the limit was reached. The caller stops the timeout.
func (l *limit) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.change(ended)
}

// change reports false if the limit has ended or was reached, or was never started. The caller holds mu.
func (l *limit) change(to *setting) bool {
	switch l.setting.Load() {
	case nil, ended, reached:
		return false
	}
	l.setting.Store(to)
	return true
}

func (l *limit) wasReached() bool { return l.setting.Load() == reached }

// touch notes that data was received or sent now.
func (l *limit) touch() {
	if l.setting.Load().d == 0 {
		return
	}
	now := int64(l.now())
	for {
		last := l.last.Load()
		if last >= now || l.last.CompareAndSwap(last, now) {
			return // last >= now: another goroutine has noted newer data
		}
	}
}

// full returns how long to wait for a look if the idle time begins now.
func (l *limit) full(d time.Duration) time.Duration {
	if l.kernelCounts {
		return d + granularity // any sooner, the kernel's answer could be too large
	}
	return d
}

// arm arms the timeout for a time after start.
func (l *limit) arm(at time.Duration) { l.timeout.ResetAt(l.begun.Add(at)) }

// Run is the task of the timeout: it checks the connection, and calls idle or arms the timeout again.
func (l *limit) Run(*hashedwheel.Timeout) {
	s, last := l.setting.Load(), l.last.Load()
	if !l.isDue(s) {
		return
	}
	next, at, err := l.look(s, time.Duration(last))
	switch {
	case err != nil: // the connection is closed
		l.end()
	case l.decide(s, next, at, last):
		l.owner.idle()
	}
}

// Brief makes l a task of the library, which may run user code.
func (l *limit) Brief() hook.Brief { return false }

// isDue reports false if the setting is no longer s, or a call has armed or stopped the timeout.
func (l *limit) isDue(s *setting) bool {
	return s.d > 0 && l.setting.Load() == s && l.timeout.State() == hashedwheel.Expired
}

// look returns the setting that follows s, and the time of the next look. The setting is reached if the connection is
// idle: it was quiet for the idle time, none of its queues has moved, and no received data is unread. The error is that
// of a closed connection.
func (l *limit) look(s *setting, last time.Duration) (next *setting, at time.Duration, err error) {
	now := l.now()
	quiet := now - max(s.since, last)
	found := *s
	next = &found
	if l.kernelCounts {
		t, err := l.socket.traffic()
		if err != nil {
			return nil, 0, err
		}
		t.before, t.after = now, l.now()
		quiet = min(quiet, found.quiet(t, l.receivedOnly))
	}
	if quiet < s.d {
		return next, now + s.d - quiet, nil
	}
	found.queues, err = l.queues()
	if err != nil {
		return nil, 0, err
	}
	now = l.now()
	switch {
	case l.movedSince(s, found.queues):
		found.since = now
	case found.queues.unread == 0 || quiet/unreadIdleTimes >= s.d:
		next = reached
	}
	return next, now + l.full(s.d), nil
}

// decide makes next the setting, and reports whether the limit is reached; otherwise it arms the timeout. It does
// nothing if the setting has changed since the look began. If the Conn has counted data since then, the next look is an
// idle time after that data.
func (l *limit) decide(s, next *setting, at time.Duration, last int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isDue(s) {
		return false
	}
	if now := l.last.Load(); now != last {
		next, at = s, time.Duration(now)+s.d
	}
	l.setting.Store(next)
	if next != reached {
		l.arm(at)
	}
	return next == reached
}

// queues leaves out data that does not count. The error is net.ErrClosed.
func (l *limit) queues() (q queues, err error) {
	if l.socket != nil {
		q, err = l.socket.queues()
	}
	if l.readClosed.Load() {
		q.unread = 0
	}
	if l.receivedOnly {
		q.unsent = 0
	}
	return q, err
}

// movedSince reports whether data left a queue since the last look. The kernel does not count reads, after which fewer
// bytes are unread. A Conn counts reads, but one in progress may not be noted yet. It does not see that its peer reads
// from a full queue.
func (l *limit) movedSince(s *setting, q queues) bool {
	if l.kernelCounts {
		return q.unread != s.queues.unread
	}
	return q.unread < s.queues.unread || q.unsent != s.queues.unsent
}

// TaskName returns the name under which the timeout is shown.
func (l *limit) TaskName() string {
	if l.name == "" {
		return "idle connection"
	}
	return l.name
}

// describe returns the addresses and the state of a connection, for logs, without a race.
func (l *limit) describe(kind string, c net.Conn) string {
	if c == nil {
		return kind + "(unused)"
	}
	return fmt.Sprintf("%s(%v->%v, %v)", kind, c.LocalAddr(), c.RemoteAddr(), l.setting.Load())
}
