package idle

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A limit is the idle time of one connection, and the timeout that ends it: the common part of a
// Watcher and a Conn. If the kernel counts data, the timeout is left alone until it expires, and
// then its task queries the kernel. Otherwise each read and write moves the timeout.
//
//	no idle time ◀──▶ an idle time ──▶ reached   no data for that long: idle is called
//	     └─────────────────┴─────────▶ ended     by Stop or Close
//
// Calls that change the setting or arm the timeout hold mu. Reads and writes only move it while it is
// pending, without mu. The task queries the kernel without mu, as its connection may be the user's, and
// then decides under mu, unless the setting has changed or the timeout is armed again by then.
type limit struct {
	timeout      hashedwheel.Timeout     // armed under mu
	setting      atomic.Pointer[setting] // nil before start; changed under mu
	socket       *socket                 // nil: no socket to query
	kernelCounts bool
	receivedOnly bool
	name         string
	owner        interface{ idle() }

	moved      atomic.Bool // by a read or write, since the last run; only where the Conn counts
	readClosed atomic.Bool // by CloseRead: unread data does not count

	mu    sync.Mutex
	spare *time.Timer // stands in while the timer is full; guarded by mu
}

// A setting is the idle time that one call has set. A second call makes a second setting, even for
// the same d: a run that began before the call cannot close the connection after it.
type setting struct {
	d      time.Duration // zero: no idle time
	since  time.Time     // on the timer's clock; the idle time begins no earlier
	queues queues        // as the last run found them
}

var none, ended, reached = new(setting), new(setting), new(setting)

// patience is the number of idle times for which unread data keeps a connection open. It is long
// enough for a handler that works, and ends connections whose owner never reads.
const patience = 64

// start binds the limit, and arms it if d is positive.
func (l *limit) start(tm *hashedwheel.Timer, d time.Duration) error {
	l.timeout.Init(tm, l)
	s := l.from(d)
	l.setting.Store(s)
	if s.d > 0 {
		l.timeout.ResetAt(s.since.Add(l.full(s.d)))
	}
	return l.timeout.Err()
}

func (l *limit) now() time.Time { return l.timeout.Timer().Now() }

// from returns the setting of an idle time that begins now: none if d is not positive. It limits d,
// which could overflow.
func (l *limit) from(d time.Duration) *setting {
	if d <= 0 {
		return none
	}
	return &setting{d: min(d, 1<<62), since: l.now()}
}

// full returns how long to wait from now, if the idle time begins now.
func (l *limit) full(d time.Duration) time.Duration {
	if l.kernelCounts {
		return d + granularity // any sooner, the kernel's answer would not be certain
	}
	return d
}

// set changes the idle time, unless it is over. The new one begins now.
func (l *limit) set(d time.Duration) {
	s := l.from(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.change(s):
	case s.d > 0:
		l.arm(s.since.Add(l.full(s.d)))
	default:
		l.disarm()
	}
}

// end reports whether this call ended the limit before the limit was reached.
func (l *limit) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.change(ended) {
		return false
	}
	l.disarm()
	return true
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

// touch begins the idle time again.
func (l *limit) touch() {
	s := l.setting.Load()
	if s.d == 0 {
		return
	}
	if !l.moved.Load() {
		l.moved.Store(true) // before the move: the run that follows it sees this
	}
	l.prolong(s)
}

// prolong moves the timeout if it is pending and s is still the setting. Otherwise it begins again.
func (l *limit) prolong(s *setting) {
	if !l.timeout.Move(s.d) || l.setting.Load() != s {
		l.again()
	}
}

// again arms the timeout for a whole idle time.
func (l *limit) again() {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.setting.Load(); s.d > 0 {
		l.arm(now.Add(s.d))
	}
}

// arm arms the timeout. If the timer is full, package time arms it after an eighth of the idle time: so
// the limit is not lost, but may be reached late. The caller holds mu.
func (l *limit) arm(at time.Time) {
	l.timeout.ResetAt(at)
	if l.spare == nil && errors.Is(l.timeout.Err(), hashedwheel.ErrFull) {
		l.spare = time.AfterFunc(max(l.setting.Load().d/8, l.timeout.Timer().Tick()), l.retry)
	}
}

func (l *limit) disarm() {
	l.timeout.Stop()
	if l.spare != nil {
		l.spare.Stop()
		l.spare = nil
	}
}

// retry arms the timeout unless an arming after the refused one found room.
func (l *limit) retry() {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = nil
	s := l.setting.Load()
	if s.d == 0 || l.timeout.State() != hashedwheel.Rejected {
		return
	}
	if l.kernelCounts {
		now = s.since // the kernel counted while the timer was full
	}
	l.arm(now.Add(s.d))
}

// Run is the task of the timeout: it checks whether the connection is idle.
func (l *limit) Run(*hashedwheel.Timeout) {
	s := l.setting.Load()
	if !l.isDue(s) {
		return
	}
	next, wait, err := l.query(s)
	if err != nil {
		l.end() // closed
		return
	}
	if l.decide(s, next, l.now().Add(wait)) {
		l.owner.idle()
	}
}

// isDue reports false if the setting is no longer s, or the idle time has begun again.
func (l *limit) isDue(s *setting) bool {
	return s.d > 0 && l.setting.Load() == s && l.timeout.State() == hashedwheel.Expired
}

// query returns the setting that follows s, and how long to wait. It is reached if the connection is
// idle: if it was quiet for so long, none of its queues has moved, and no received data waits unread. The
// error is that of a closed connection.
func (l *limit) query(s *setting) (next *setting, wait time.Duration, err error) {
	quiet := l.now().Sub(s.since) // at most; where the Conn counts, the timeout expired because it counted no data
	if l.kernelCounts {
		counted, err := l.socket.quiet(l.receivedOnly)
		if err != nil {
			return nil, 0, err
		}
		quiet = min(quiet, counted)
	}
	if quiet < s.d {
		return s, s.d - quiet, nil
	}
	q, err := l.queues()
	next = &setting{d: s.d, since: s.since, queues: q}
	switch {
	case l.movedSince(s, q):
		next.since = l.now()
	case q.unread == 0 || quiet/patience >= s.d:
		next = reached
	}
	return next, l.full(s.d), err
}

// decide makes next the setting, and reports whether the limit is reached; otherwise it arms the timeout.
// It does nothing if a call has changed the setting, or data has moved, while the kernel was queried.
func (l *limit) decide(s, next *setting, at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isDue(s) {
		return false
	}
	l.setting.Store(next)
	if next != reached {
		l.arm(at)
		return false
	}
	l.disarm()
	return true
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

// movedSince reports whether data left a queue since the last run. The kernel counts sent data but no
// reads, after which fewer bytes are unread. A Conn counts reads, but a read that is under way may be yet
// to move the timeout; if other data has taken the place of the data that was read, the read shows in moved,
// and extends the patience. A Conn does not see that its peer reads from a full queue.
func (l *limit) movedSince(s *setting, q queues) bool {
	if l.kernelCounts {
		return q.unread != s.queues.unread
	}
	read := q.unread < s.queues.unread || q.unread > 0 && l.moved.Swap(false)
	return read || q.unsent != s.queues.unsent
}

// TaskName is the name under which the timeout is shown.
func (l *limit) TaskName() string {
	if l.name == "" {
		return "idle connection"
	}
	return l.name
}

// String keeps fmt from reading fields that other calls write.
func (l *limit) String() string { return l.TaskName() }
