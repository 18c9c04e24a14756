package idle

import (
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// ErrIdle is the error of Read and Write after their [Conn] was closed because it was idle; a TLS connection around the
// Conn returns it wrapped. It is a net.Error whose Timeout is true, and errors.Is finds os.ErrDeadlineExceeded in it.
// Unlike your own deadline, which leaves the connection open, ErrIdle is final: check for it first, because a loop that
// continues on every Timeout would spin.
var ErrIdle error = idleError{}

type idleError struct{}

func (idleError) Error() string        { return "idle: connection closed after its idle time" }
func (idleError) Timeout() bool        { return true }
func (idleError) Temporary() bool      { return false }
func (idleError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

// piece is the most bytes that a counting Conn writes in one call. Each piece counts, so that a long Write to a slow
// reader is not idle. Over loopback 8 KiB reach 1.2 GB/s, 4 KiB 0.6, and 64 KiB 2.3, but with those the reader must be
// faster.
const piece = 8 << 10

type netConn = net.Conn // embedded under this name, the connection is not an exported field

// A Conn is a connection that closes itself when no data has been received or sent for its idle time. A Read or Write
// that is blocked then, or called later, returns [ErrIdle]. SetDeadline, SetReadDeadline and SetWriteDeadline work as
// on the connection inside. For methods such as SetNoDelay and SyscallConn use NetConn.
//
// A Conn is made by [NewConn] or a Listener, safe for concurrent use, and must not be copied.
type Conn struct {
	netConn
	limit    limit
	onIdle   func(net.Conn) // may be nil
	isStream bool

	writing sync.Mutex // keeps the pieces of a Write together
}

// NewConn returns c with an idle time of d, which begins now. If d is zero or negative, there is none until
// SetIdleTimeout. When the idle time is over, the timer's executor closes the connection. A close may take long, up to
// five seconds if c is a *tls.Conn, and with [hashedwheel.Inline] delays all other tasks.
//
// The error is hashedwheel.ErrFull or ErrStopped; then c stays open, and you must close it. The Conn counts under
// hashedwheel.WithMaxPending until it is closed, even without an idle time. A c whose socket was closed before, or is
// closed without the Conn, is never idle: Read returns net.ErrClosed. Close the Conn even then: until Close, or the end
// of its idle time, tm keeps it. NewConn panics if tm, c or an Option is nil.
func NewConn(tm *hashedwheel.Timer, c net.Conn, d time.Duration, opts ...Option) (*Conn, error) {
	if tm == nil || c == nil {
		panic("idle: NewConn with a nil Timer or Conn")
	}
	return newConn(tm, c, d, collect("NewConn", opts))
}

func newConn(tm *hashedwheel.Timer, c net.Conn, d time.Duration, o options) (*Conn, error) {
	conn := &Conn{netConn: c, onIdle: o.onIdle, isStream: isStream(c)}
	conn.limit = limit{receivedOnly: o.receivedOnly, name: o.name, owner: conn}
	if s, err := socketOf(c); err == nil {
		conn.limit.socket = s
		conn.limit.kernelCounts = !o.counting && s.supported() == nil
	}
	if err := conn.limit.start(tm, d); err != nil {
		return nil, err
	}
	return conn, nil
}

// NetConn returns the connection inside. Data that is read or written there counts only if the kernel counts.
func (c *Conn) NetConn() net.Conn { return c.netConn }

// Read reads as the connection inside does.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.netConn.Read(b)
	if n > 0 && !c.limit.kernelCounts {
		c.limit.touch()
	}
	return n, c.explain(err)
}

// Write writes as the connection inside does. Where the Conn counts, it passes on more than 8 KiB in pieces, each of
// which counts, if the connection is a stream: a *net.TCPConn, *net.UnixConn, net.Pipe or *tls.Conn. The package
// comment says how much a peer must read in each idle time. On any other connection a Write may be a message: it is
// passed on whole, and must end within one idle time.
func (c *Conn) Write(b []byte) (int, error) {
	if c.limit.kernelCounts || c.limit.receivedOnly {
		n, err := c.netConn.Write(b)
		return n, c.explain(err)
	}
	if !c.isStream {
		return c.writePiece(b)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	for n := 0; ; {
		m, err := c.writePiece(b[n:min(n+piece, len(b))])
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

func (c *Conn) writePiece(b []byte) (int, error) {
	n, err := c.netConn.Write(b)
	if n > 0 {
		c.limit.touch()
	}
	if n < len(b) && err == nil {
		err = io.ErrShortWrite
	}
	return n, c.explain(err)
}

// ReadFrom writes the data that it reads from r. Where the kernel counts, it uses the ReadFrom of the connection
// inside, which for a *net.TCPConn moves the data in the kernel (splice, sendfile). Otherwise it calls Write
// repeatedly.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if inner, ok := c.netConn.(io.ReaderFrom); ok && c.limit.kernelCounts {
		n, err := inner.ReadFrom(r)
		return n, c.explain(err)
	}
	return io.Copy(struct{ io.Writer }{c}, r) // hides ReadFrom from io.Copy
}

// WriteTo writes the data that it reads to w. Where the kernel counts, it uses the WriteTo of the connection inside.
// Otherwise it calls Read repeatedly.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	if inner, ok := c.netConn.(io.WriterTo); ok && c.limit.kernelCounts {
		n, err := inner.WriteTo(w)
		return n, c.explain(err)
	}
	return io.Copy(w, struct{ io.Reader }{c}) // hides WriteTo from io.Copy
}

// SetIdleTimeout changes the idle time to d, counted from now; zero or less means no idle time. It does nothing once
// the Conn is closed.
func (c *Conn) SetIdleTimeout(d time.Duration) { c.limit.set(d) }

// String returns the connection and its idle time. It is safe at any time.
func (c *Conn) String() string { return c.limit.describe("idle.Conn", c.netConn) }

// Close closes the connection, and ends its idle time. It returns nil if the connection was already closed as idle.
func (c *Conn) Close() error {
	if c.limit.end() {
		defer c.limit.timeout.Stop() // an open connection counts under WithMaxPending
	}
	err := c.netConn.Close()
	if c.limit.wasReached() {
		return nil
	}
	return err
}

// CloseRead shuts down the reading side of a connection that has such a method, like a *net.TCPConn; for any other the
// error is errors.ErrUnsupported. Unread data no longer keeps the connection open.
func (c *Conn) CloseRead() error {
	half, ok := c.netConn.(interface{ CloseRead() error })
	if !ok {
		return errors.ErrUnsupported
	}
	c.limit.readClosed.Store(true)
	return half.CloseRead()
}

// CloseWrite shuts down the writing side of a connection that has such a method, like a *net.TCPConn or *tls.Conn; for
// any other the error is errors.ErrUnsupported.
func (c *Conn) CloseWrite() error {
	if half, ok := c.netConn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// idle is called by the limit, once, if the limit is reached before Close.
func (c *Conn) idle() {
	defer c.netConn.Close() // even if onIdle panics
	if c.onIdle != nil {
		c.onIdle(c)
	}
}

// explain returns ErrIdle in place of the error of a connection that was closed as idle.
func (c *Conn) explain(err error) error {
	if err != nil && c.limit.wasReached() {
		return ErrIdle
	}
	return err
}

// isStream reports whether a Write may be cut into pieces: only on connections that are known to be streams. The
// network of an address proves nothing: a WebSocket's is "tcp", and each of its Writes is a message. Types are compared
// by name, because an import of crypto/tls would add megabytes to programs that do not use it.
func isStream(c net.Conn) bool {
	if inner, ok := c.(*Conn); ok {
		return inner.isStream
	}
	t := reflect.TypeOf(c)
	if t.Kind() != reflect.Pointer {
		return false
	}
	switch t = t.Elem(); t.PkgPath() + "." + t.Name() {
	case "net.TCPConn", "net.pipe", "crypto/tls.Conn":
		return true
	case "net.UnixConn":
		a := c.LocalAddr()
		return a != nil && a.Network() == "unix" // not unixgram, not unixpacket
	}
	return false
}
