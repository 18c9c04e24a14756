package idle

import (
	"errors"
	"net"
	"reflect"
	"syscall"
)

// maxNested bounds the search for a socket: a connection may return itself as the connection inside.
const maxNested = 32

// find returns the first T among c and the connections inside it, as NetConn returns them.
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

// supported returns nil if the kernel counts data on the socket.
func (s *socket) supported() error {
	isTCP := false
	if err := s.Control(func(fd uintptr) { isTCP = isPlainTCP(fd) }); err != nil {
		return err
	}
	if !isTCP {
		return errors.ErrUnsupported
	}
	_, err := s.traffic()
	return err
}

// traffic returns the error of a closed socket, or errors.ErrUnsupported.
func (s *socket) traffic() (t traffic, err error) {
	if closed := s.Control(func(fd uintptr) { t, err = trafficOn(fd) }); closed != nil {
		return t, closed
	}
	return t, err
}

// queues are the bytes that a socket holds: received and not yet read, and written and not yet sent and acknowledged. A
// count that the system does not report is zero.
type queues struct{ unread, unsent int }

// queues returns net.ErrClosed if the socket is closed, and zeros if it cannot be queried.
func (s *socket) queues() (q queues, err error) {
	err = s.Control(func(fd uintptr) { q = queues{unread(fd), unsent(fd)} })
	if errors.Is(err, net.ErrClosed) {
		return q, net.ErrClosed
	}
	return q, nil
}
