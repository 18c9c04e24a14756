package idle

import (
	"io"
	"net"
	"reflect"
)

// piece is the most that is written in one go where the Conn counts: each piece moves the
// timeout, so that a long Write to a slow reader is not idle. Over loopback 1.2 GB/s, in pieces of
// 4 KiB 0.6, of 16 KiB 2.0, of 64 KiB 2.3 (BenchmarkWriteInPieces).
const piece = 8 << 10

// isStream reports whether a Write may be cut into pieces: only on connections that are known to be
// streams. The network of an address proves nothing: a WebSocket's is "tcp", and each of its Writes
// is a message. Types are compared by name, because an import of package tls would add megabytes to
// programs that do not use it.
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
		return network(c.LocalAddr()) == "unix" // not unixgram, not unixpacket
	}
	return false
}

// Read reads as the connection inside does. It returns [ErrIdle] after an idle close.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.netConn.Read(b)
	if n > 0 && !c.limit.kernelCounts {
		c.limit.touch()
	}
	return n, c.explain(err)
}

// Write writes as the connection inside does. After an idle close it returns [ErrIdle]. Where the Conn counts, it
// passes on more than 8 KiB in pieces, each of which counts, if the connection is a stream: a *net.TCPConn,
// *net.UnixConn, net.Pipe or *tls.Conn. With an idle time of two minutes a peer must then read 70 bytes a second. On
// any other connection a Write may be a message: it is passed on whole, and must end within one idle time.
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

// ReadFrom writes the data that it reads from r. Where the kernel counts it uses the ReadFrom of the
// connection inside: for a *net.TCPConn the kernel then moves the data from another connection
// (splice) or a file (sendfile). Otherwise it calls Write repeatedly.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if inner, ok := c.netConn.(io.ReaderFrom); ok && c.limit.kernelCounts {
		n, err := inner.ReadFrom(r)
		return n, c.explain(err)
	}
	return io.Copy(struct{ io.Writer }{c}, r) // of which io.Copy sees no ReadFrom
}

// WriteTo writes the data that it reads to w. Where the kernel counts it uses the WriteTo of the
// connection inside. Otherwise it calls Read repeatedly.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	if inner, ok := c.netConn.(io.WriterTo); ok && c.limit.kernelCounts {
		n, err := inner.WriteTo(w)
		return n, c.explain(err)
	}
	return io.Copy(w, struct{ io.Reader }{c}) // of which io.Copy sees no WriteTo
}
