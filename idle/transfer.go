package idle

import (
	"io"
	"net"
	"strings"
)

// piece is the most that is written in one go where data is counted here: each piece
// moves the timeout, so that a long Write to a slow reader is not taken for silence.
const piece = 64 << 10

// isStream reports whether a Write may be cut into pieces: not where each is a message.
func isStream(c net.Conn) bool {
	addr := c.LocalAddr()
	if addr == nil {
		return true
	}
	switch network := addr.Network(); network {
	case "unixgram", "unixpacket":
		return false
	default:
		return !strings.HasPrefix(network, "udp") && !strings.HasPrefix(network, "ip")
	}
}

func (c *Conn) isWatched() bool { return c.limit.kernel != nil }

// Read reads as the connection inside does. It returns [ErrIdle] after an idle close.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.netConn.Read(b)
	if n > 0 && !c.isWatched() {
		c.limit.touch()
	}
	return n, c.explain(err)
}

// Write writes as the connection inside does. It returns [ErrIdle] after an idle close.
// Unless the Conn is watched, more than 64 KiB are passed on in pieces, so that each
// counts; messages, as of UDP, are passed on whole.
func (c *Conn) Write(b []byte) (int, error) {
	if c.isWatched() || c.receivedOnly {
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

// ReadFrom writes what it reads from r. It is the ReadFrom of the connection inside, if
// that has one and is watched: of a *net.TCPConn, for which the kernel moves the data
// from another connection (splice) or a file (sendfile). Else it is Write, over and over.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if inner, ok := c.netConn.(io.ReaderFrom); ok && c.isWatched() {
		n, err := inner.ReadFrom(r)
		return n, c.explain(err)
	}
	return io.Copy(writer{c}, r)
}

// WriteTo writes what it reads to w, by the WriteTo of the connection inside if that has
// one and is watched. Else it is Read, over and over.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	if inner, ok := c.netConn.(io.WriterTo); ok && c.isWatched() {
		n, err := inner.WriteTo(w)
		return n, c.explain(err)
	}
	return io.Copy(w, reader{c})
}

// A writer is a Conn that io.Copy takes for nothing more, and so is a reader.
type (
	writer struct{ c *Conn }
	reader struct{ c *Conn }
)

func (w writer) Write(b []byte) (int, error) { return w.c.Write(b) }
func (r reader) Read(b []byte) (int, error)  { return r.c.Read(b) }
