package idle

import (
	"errors"
	"net"
	"reflect"
	"syscall"
	"time"
)

// granularity is the most by which the kernel's answer can be too large: it counts jiffies, 1 to
// 10 ms long, and rounds both the present and the moment of the last data down to one. 10 ms
// is a jiffy of a kernel built with HZ=100, the slowest in use.
const granularity = 10 * time.Millisecond

// maxNested bounds the search for a socket: a connection may return itself as the connection inside.
const maxNested = 32

// find returns the first of c and the connections inside it, as NetConn returns them, that is a T.
func find[T any](c net.Conn) (found T, ok bool) {
	for range maxNested {
		if v := reflect.ValueOf(c); v.Kind() == reflect.Pointer && v.IsNil() {
			break // the wrapper has no connection inside
		}
		if found, ok = c.(T); ok {
			return found, true
		}
		outer, nested := c.(interface{ NetConn() net.Conn })
		if !nested {
			break
		}
		c = outer.NetConn()
	}
	return found, false
}

// A socket is where the system counts the data of a connection.
type socket struct{ syscall.RawConn }

// socketOf returns the socket of c, or of the connection inside it.
func socketOf(c net.Conn) (*socket, error) {
	sc, ok := find[syscall.Conn](c)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &socket{raw}, nil
}

// canTell returns nil if the kernel counts data on the socket.
func (s *socket) canTell() error {
	isTCP := false
	if err := s.Control(func(fd uintptr) { isTCP = isPlainTCP(fd) }); err != nil {
		return err
	}
	if !isTCP {
		return errors.ErrUnsupported
	}
	_, err := s.quiet(false)
	return err
}

// quiet returns for how long no data has been received or sent, at the least. The kernel keeps 32
// bits of milliseconds, so an idle time of more than 49 days never ends.
func (s *socket) quiet(receivedOnly bool) (time.Duration, error) {
	var received, sent time.Duration
	var err error
	if closed := s.Control(func(fd uintptr) { received, sent, err = lastData(fd) }); closed != nil {
		return 0, closed
	}
	if !receivedOnly {
		received = min(received, sent)
	}
	return received - granularity, err
}

// queues are the bytes that a socket holds: received and not yet read, and written and not yet
// sent and acknowledged. A count that the system does not offer is zero.
type queues struct{ unread, unsent int }

// queues returns net.ErrClosed if the socket is closed, and zeros if it cannot be queried.
func (s *socket) queues() (q queues, err error) {
	err = s.Control(func(fd uintptr) { q = queues{unread(fd), unsent(fd)} })
	if errors.Is(err, net.ErrClosed) {
		return q, net.ErrClosed
	}
	return q, nil
}
