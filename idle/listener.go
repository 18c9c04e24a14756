package idle

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

type listener struct {
	net.Listener
	tm   *hashedwheel.Timer
	d    time.Duration
	opts options
}

var errTimerStopped = fmt.Errorf("idle: Accept: %w, since %w", net.ErrClosed, hashedwheel.ErrStopped)

// NewListener returns a Listener whose Accept returns every connection as a [Conn] with an idle time of d. Pass it to
// [net/http.Server.Serve], or to any other server. For TLS use tls.NewListener(idle.NewListener(...), config): then
// net/http finds the *tls.Conn that it needs for HTTP/2.
//
// A connection that arrives while the timer is full is closed, and Accept waits for the next: Stats().Rejected counts
// such connections. Close closes l, but no connection. Once the timer has been stopped, the next Accept that gets a
// connection closes the connection and l, so that clients are refused, and returns an error that is net.ErrClosed and
// hashedwheel.ErrStopped. So stop the server first, then the timer.
//
// A netutil.LimitListener belongs inside: idle.NewListener(tm, netutil.LimitListener(l, n), d). Then an idle close
// makes room at once. But its connections hide their sockets: the Conn counts, without splice and sendfile, and does
// not see unread data.
//
// NewListener panics if tm, l or an Option is nil.
func NewListener(tm *hashedwheel.Timer, l net.Listener, d time.Duration, opts ...Option) net.Listener {
	if tm == nil || l == nil {
		panic("idle: NewListener with a nil Timer or Listener")
	}
	return &listener{Listener: l, tm: tm, d: d, opts: collect("NewListener", opts)}
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn, err := newConn(l.tm, c, l.d, l.opts)
		if err == nil {
			return conn, nil
		}
		_ = c.Close()
		if errors.Is(err, hashedwheel.ErrStopped) {
			_ = l.Close()
			return nil, errTimerStopped
		}
	}
}

// String returns the address and the idle time. It is safe at any time.
func (l *listener) String() string {
	return fmt.Sprintf("idle.Listener(%v, %v)", l.Addr(), l.d)
}

type connKey struct{}

// ConnContext returns a context in which [FromContext] finds the [Conn] c, or the Conn inside c if c is a wrapper such
// as *tls.Conn. It returns ctx if there is no Conn. Use it as the field ConnContext of an [net/http.Server] that serves
// a [NewListener].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	conn, ok := find[*Conn](c)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, connKey{}, conn)
}

// FromContext returns the Conn that [ConnContext] has put into ctx, or false if there is none.
//
// The requests of one HTTP/2 connection share its Conn: a handler that sets the idle time again at its end sets it for
// handlers still at work. With HTTP/2, use the server's ConnState hook, which is called for the connection as a whole:
// suspend the idle time at StateActive, and set it again at StateIdle, on the Conn in ConnContext(context.Background(),
// c).
func FromContext(ctx context.Context) (*Conn, bool) {
	conn, ok := ctx.Value(connKey{}).(*Conn)
	return conn, ok
}
