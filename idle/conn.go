package idle

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// ErrIdle is what Read and Write return once their [Conn] was closed because it was
// idle. It is a net.Error with Timeout, and errors.Is finds os.ErrDeadlineExceeded in it.
var ErrIdle error = idleError{}

type idleError struct{}

func (idleError) Error() string        { return "idle: connection closed after its idle time" }
func (idleError) Timeout() bool        { return true }
func (idleError) Temporary() bool      { return false }
func (idleError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

type netConn = net.Conn // embedded so, it is no exported field

// A Conn is a connection that is closed once nothing was said on it for its idle time.
// Whoever is blocked in Read or Write then, or comes later, gets [ErrIdle]. The
// deadlines of SetDeadline and its like are the user's own: a Conn sets none.
//
// On Linux a TCP connection is watched, as by [Watch]: nothing is counted in Read and
// Write. Any other moves its Timeout each time data has come or gone, for 36 ns.
//
// A Conn is safe for concurrent use and must not be copied.
type Conn struct {
	netConn
	limit        limit
	onIdle       func(net.Conn) // may be nil
	receivedOnly bool
	isStream     bool

	writing sync.Mutex // keeps the pieces of a Write together
}

// NewConn returns c with an idle time of d; with none yet if d is zero or negative. The
// time begins now. When it is over the connection is closed, in the timer's executor,
// where a connection that takes long to close, as one of TLS may, holds up what else
// an [hashedwheel.Inline] has to run. With the timer stopped, nothing is closed any more.
//
// The error is hashedwheel.ErrFull or ErrStopped; c is open then, and the caller's to
// close. NewConn panics if tm or c is nil.
func NewConn(tm *hashedwheel.Timer, c net.Conn, d time.Duration, opts ...Option) (*Conn, error) {
	if tm == nil || c == nil {
		panic("idle: NewConn with a nil Timer or Conn")
	}
	o := collect(opts)
	conn := &Conn{netConn: c, onIdle: o.onIdle, receivedOnly: o.receivedOnly, isStream: isStream(c)}
	conn.limit.owner = conn
	if k, err := openKernel(c, o.receivedOnly); err == nil {
		conn.limit.kernel = k
	}
	if err := conn.limit.start(tm, d); err != nil {
		return nil, err
	}
	return conn, nil
}

// NetConn returns the connection inside. What is read or written there counts only if
// the Conn is watched.
func (c *Conn) NetConn() net.Conn { return c.netConn }

// SetIdleTimeout changes the idle time to d, counted from now; zero or negative, and
// there is none. It does nothing once the Conn is closed. If the timer is full, an idle time that
// begins where there was none may be late.
func (c *Conn) SetIdleTimeout(d time.Duration) { c.limit.set(d) }

// Close closes the connection and ends its idle time. It returns nil if the connection
// had been closed as idle.
func (c *Conn) Close() error {
	c.limit.end()
	err := c.netConn.Close()
	if c.limit.wasReached() {
		return nil
	}
	return err
}

// CloseRead shuts down the reading side of a connection that can, as a *net.TCPConn;
// of another the error is errors.ErrUnsupported.
func (c *Conn) CloseRead() error {
	if half, ok := c.netConn.(interface{ CloseRead() error }); ok {
		return half.CloseRead()
	}
	return errors.ErrUnsupported
}

// CloseWrite shuts down the writing side of a connection that can, as a *net.TCPConn
// or *tls.Conn; of another the error is errors.ErrUnsupported.
func (c *Conn) CloseWrite() error {
	if half, ok := c.netConn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// idle is called by the limit, once, if it was reached before Close.
func (c *Conn) idle() {
	defer c.netConn.Close() // should onIdle panic, too
	if c.onIdle != nil {
		c.onIdle(c)
	}
}

// explain returns ErrIdle in place of what the closed connection has to say.
func (c *Conn) explain(err error) error {
	if err != nil && c.limit.wasReached() {
		return ErrIdle
	}
	return err
}
