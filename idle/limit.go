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
type limit struct {
	timeout      hashedwheel.Timeout
	setting      atomic.Pointer[setting] // never nil after start; each change is one CAS
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
		l.timeout.Reset(l.full(s.d))
	}
	return l.timeout.Err()
}

// from returns the setting of an idle time that begins now: none if d is not positive. It limits d,
// which could overflow.
func (l *limit) from(d time.Duration) *setting {
	if d <= 0 {
		return none
	}
	return &setting{d: min(d, 1<<62), since: l.timeout.Timer().Now()}
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
	if l.change(s) {
		l.arm(l.full(s.d), s)
	}
}

// touch begins the idle time again.
func (l *limit) touch() {
	s := l.setting.Load()
	if s.d == 0 {
		return
	}
	if !l.moved.Load() {
		l.moved.Store(true) // before the arming: the run that follows it sees this
	}
	l.arm(s.d, s)
}

// end reports whether this call ended the limit before the limit was reached.
func (l *limit) end() bool {
	if !l.change(ended) {
		return false
	}
	l.disarm()
	return true
}

func (l *limit) wasReached() bool { return l.setting.Load() == reached }

// change reports false if the limit has ended or was reached.
func (l *limit) change(to *setting) bool {
	for {
		from := l.setting.Load()
		if from == ended || from == reached {
			return false
		}
		if l.setting.CompareAndSwap(from, to) {
			return true
		}
	}
}

// arm arms the timeout while the setting is s. If another call changes the setting at the same time,
// this Reset may run after that call's Reset or Stop: the second load of the setting finds the
// change, and the loop corrects the arming.
func (l *limit) arm(wait time.Duration, s *setting) {
	for s.d > 0 {
		if !l.timeout.Reset(wait) && errors.Is(l.timeout.Err(), hashedwheel.ErrFull) {
			l.standIn(s.d)
		}
		now := l.setting.Load()
		if now == s {
			return
		}
		wait, s = l.full(now.d), now
	}
	l.disarm()
}

func (l *limit) disarm() {
	l.timeout.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare != nil {
		l.spare.Stop()
		l.spare = nil
	}
}

// standIn makes package time arm the timeout again after an eighth of the idle time, because the
// timer is full: so the limit is not lost, but may be reached late.
func (l *limit) standIn(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare == nil {
		l.spare = time.AfterFunc(max(d/8, l.timeout.Timer().Tick()), l.again)
	}
}

func (l *limit) again() {
	l.mu.Lock()
	l.spare = nil
	l.mu.Unlock()
	if l.timeout.State() != hashedwheel.Rejected {
		return // an arming after the refused one found room
	}
	s := l.setting.Load()
	if l.kernelCounts {
		l.arm(s.d-l.age(s), s) // the kernel counted while the timer was full
		return
	}
	l.arm(s.d, s)
}

func (l *limit) age(s *setting) time.Duration { return l.timeout.Timer().Now().Sub(s.since) }

// Run is the task of the timeout: it checks whether the connection is idle.
func (l *limit) Run(*hashedwheel.Timeout) {
	s := l.setting.Load()
	if s.d == 0 || l.timeout.State() != hashedwheel.Expired {
		return // ended, or begun again before this run
	}
	quiet, err := l.quiet(s)
	switch {
	case err != nil:
		l.end() // closed
	case quiet < s.d:
		l.arm(l.left(s, quiet), s)
	default:
		l.close(s, quiet)
	}
}

// quiet returns for how long no data has been received or sent, within the setting s. Where the Conn
// counts, the timeout has expired because there was none, or a change of the setting is under way.
func (l *limit) quiet(s *setting) (time.Duration, error) {
	if !l.kernelCounts {
		return l.age(s), nil
	}
	quiet, err := l.socket.quiet(l.receivedOnly)
	return min(quiet, l.age(s)), err
}

// left returns the time until the next run. Where the Conn counts that is the whole idle time: a
// shorter wait could bring forward a timeout that a read has just moved.
func (l *limit) left(s *setting, quiet time.Duration) time.Duration {
	if l.kernelCounts {
		return s.d - quiet
	}
	return s.d
}

// close closes the connection as idle, unless one of its queues has moved, or received data waits
// unread.
func (l *limit) close(s *setting, quiet time.Duration) {
	q := l.queues()
	next := &setting{d: s.d, since: s.since, queues: q}
	switch {
	case l.movedSince(s, q):
		next.since = l.timeout.Timer().Now()
	case q.unread == 0 || quiet/patience >= s.d:
		next = reached
	}
	switch {
	case !l.setting.CompareAndSwap(s, next): // another call changed the setting, and has armed the timeout
	case next == reached:
		l.disarm()
		l.owner.idle()
	default:
		l.arm(l.full(s.d), next)
	}
}

// queues leaves out data that does not count.
func (l *limit) queues() (q queues) {
	if l.socket != nil {
		q = l.socket.queues()
	}
	if l.readClosed.Load() {
		q.unread = 0
	}
	if l.receivedOnly {
		q.unsent = 0
	}
	return q
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
