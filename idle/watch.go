package idle

import (
	"fmt"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A Watcher calls a function once nobody has talked on a connection for some time. It
// is made by [Watch], safe for concurrent use, and must not be copied.
type Watcher struct {
	limit  limit
	conn   net.Conn
	onIdle func()
	before func(net.Conn) // OnIdle's; may be nil
}

// Watch calls onIdle once, when no data has come or gone on c for d: never before, and
// at most a tick and 20 ms later. It reads nothing and wraps nothing. When d is over the
// timer's task asks the kernel when data last came or went, which takes about a microsecond,
// and waits for what is left.
//
// onIdle runs in the timer's executor, and should close c: Watch does not. After that a
// Read returns net.ErrClosed, as after any Close. If you close c yourself, the watch stays
// pending, and keeps c in memory, until d is over; Stop ends it at once. If the timer is
// stopped, onIdle is not called. If it is full when there is time left to wait, the
// watch goes on, and onIdle may be late.
//
// c is a TCP connection on Linux, or has one inside that its method NetConn returns, as
// a *tls.Conn does. For any other, Multipath TCP too, the error is errors.ErrUnsupported:
// use [NewConn] then. Other errors are hashedwheel.ErrFull and ErrStopped, one that says
// that d is not positive, and that of a closed connection. Watch panics if tm, c or onIdle is
// nil.
func Watch(tm *hashedwheel.Timer, c net.Conn, d time.Duration, onIdle func(), opts ...Option) (*Watcher, error) {
	if tm == nil || c == nil || onIdle == nil {
		panic("idle: Watch with a nil Timer, Conn or func")
	}
	if d <= 0 {
		return nil, fmt.Errorf("idle: Watch for %v: must be positive", d)
	}
	o := collect(opts)
	k, err := openKernel(c, o.receivedOnly)
	if err != nil {
		return nil, err
	}
	w := &Watcher{conn: c, onIdle: onIdle, before: o.onIdle}
	w.limit.kernel, w.limit.owner = k, w
	if err := w.limit.start(tm, d); err != nil {
		return nil, err
	}
	return w, nil
}

// Stop ends the watch. It reports whether this call did: if so, onIdle is not called.
// False means that it has been called, or is about to be, or that the watch had ended.
func (w *Watcher) Stop() bool { return w.limit.end() }

func (w *Watcher) idle() {
	if w.before != nil {
		w.before(w.conn)
	}
	w.onIdle()
}
