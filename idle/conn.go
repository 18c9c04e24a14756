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
// idle; a TLS connection around the Conn returns it wrapped. It is a net.Error with
// Timeout, and errors.Is finds os.ErrDeadlineExceeded in it. So to tell it from a
// deadline of your own, which leaves the connection open, look for ErrIdle first: a loop
// that reads on whenever Timeout is true would spin.
var ErrIdle error = idleError{}

type idleError struct{}

func (idleError) Error() string        { return "idle: connection closed after its idle time" }
func (idleError) Timeout() bool        { return true }
func (idleError) Temporary() bool      { return false }
func (idleError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

type netConn = net.Conn // embedded so, it is no exported field

// A Conn is a connection that closes itself once nobody has talked on it for its idle
// time. A Read or Write that is blocked then, or comes later, returns [ErrIdle]. A Conn
// sets no deadlines: those of SetDeadline and its like are the user's own. It is a
// net.Conn, and no *net.TCPConn: for SetNoDelay, SyscallConn and their like take NetConn. The
// other methods of net.Conn are those of the connection inside.
//
// A TCP connection on Linux is watched, as by [Watch]: its Read and Write count nothing.
// Any other moves its Timeout each time data has come or gone, which takes 36 ns.
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

// NewConn returns c with an idle time of d, which begins now; with none yet if d is zero
// or negative. When it is over the timer's executor closes the connection. That takes
// long for some, as those of TLS, and with [hashedwheel.Inline] delays all other tasks.
//
// The error is hashedwheel.ErrFull or ErrStopped; c is open then, and the caller's to
// close. Once the timer has been stopped nothing is closed as idle any more. NewConn panics
// if tm or c is nil.
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

// SetIdleTimeout changes the idle time to d, counted from now; there is none if d is
// zero or negative. It does nothing once the Conn is closed. If there was no idle time
// and the timer is full, the close may come late.
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
