package idle

import (
	"errors"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

type listener struct {
	net.Listener
	tm   *hashedwheel.Timer
	d    time.Duration
	opts []Option
}

// NewListener returns a Listener that makes a [Conn] with an idle time of d of every
// connection it accepts. It is what [net/http.Server.Serve] and its like take; for TLS,
// put the TLS listener around it, not into it.
//
// A connection that comes while the timer is full is closed, and Accept waits for the
// next: Stats().Rejected counts those. Once the timer has been stopped, Accept closes the
// connection that comes next and returns net.ErrClosed. Close closes l, and no connection.
// NewListener panics if tm or l is nil.
func NewListener(tm *hashedwheel.Timer, l net.Listener, d time.Duration, opts ...Option) net.Listener {
	if tm == nil || l == nil {
		panic("idle: NewListener with a nil Timer or Listener")
	}
	return &listener{Listener: l, tm: tm, d: d, opts: opts}
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		counted, err := NewConn(l.tm, c, l.d, l.opts...)
		if err == nil {
			return counted, nil
		}
		_ = c.Close()
		if errors.Is(err, hashedwheel.ErrStopped) {
			return nil, net.ErrClosed
		}
	}
}
