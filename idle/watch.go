package idle

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A Watcher calls a function when a connection has been idle. It is made by [Watch], safe for concurrent use, and must
// not be copied.
type Watcher struct {
	limit  limit
	conn   net.Conn
	onIdle func(net.Conn)
}

// Watch calls onIdle(c) once, when no data has been received or sent on c for d. It reads nothing and wraps nothing.
//
// onIdle runs in the timer's executor, and should close c: Watch does not. After that a Read returns net.ErrClosed, as
// after any Close. If you close c yourself, the watch stays pending, and keeps c in memory, until d is over; Stop ends
// it at once. If the timer is stopped before d is over, onIdle is not called.
//
// c must be a TCP connection on Linux, or a wrapper whose NetConn returns one, like a *tls.Conn. For any other
// connection, including Multipath TCP, the error is errors.ErrUnsupported: use [NewConn]. Other errors are
// hashedwheel.ErrFull and ErrStopped, the error of a closed connection, and an error that names the argument if d is
// not positive or an option is [WithOnIdle] or [WithCounting]. Watch panics if tm, c, onIdle or an Option is nil.
func Watch(
	tm *hashedwheel.Timer, c net.Conn, d time.Duration, onIdle func(net.Conn), opts ...Option,
) (*Watcher, error) {
	if tm == nil || c == nil || onIdle == nil {
		panic("idle: Watch with a nil Timer, Conn or func")
	}
	o := collect("Watch", opts)
	switch {
	case d <= 0:
		return nil, fmt.Errorf("idle: Watch for %v: must be positive", d)
	case o.onIdle != nil:
		return nil, errors.New("idle: WithOnIdle is not for Watch: put it into the func that Watch calls")
	case o.counting:
		return nil, errors.New("idle: WithCounting is not for Watch: only a Conn can count")
	}
	s, err := socketOf(c)
	if err != nil {
		return nil, err
	}
	if err := s.supported(); err != nil {
		return nil, err
	}
	w := &Watcher{conn: c, onIdle: onIdle}
	w.limit = limit{socket: s, kernelCounts: true, receivedOnly: o.receivedOnly, name: o.name, owner: w}
	if err := w.limit.start(tm, d); err != nil {
		return nil, err
	}
	return w, nil
}

// Stop ends the watch, and reports whether this call did: then onIdle is not called. False means that onIdle has been
// or is about to be called, or that the watch had already ended.
func (w *Watcher) Stop() bool {
	ended := w.limit.end()
	w.limit.timeout.Stop()
	return ended
}

// String returns the connection and the idle time. It is safe at any time.
func (w *Watcher) String() string { return w.limit.describe("idle.Watcher", w.conn) }

func (w *Watcher) idle() { w.onIdle(w.conn) }
