package idle

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// granularity is by how much the kernel may say too much: it counts jiffies, 1 to 10 ms
// long, and rounds both the present and the moment of the last data down to one. 10 ms
// is that of a kernel built with HZ=100, the slowest in use.
const granularity = 10 * time.Millisecond

// A kernel tells for how long nothing was said on a TCP connection. It counts 32 bits
// of milliseconds, so an idle time of more than 49 days never comes.
type kernel struct {
	socket       syscall.RawConn
	receivedOnly bool
}

// openKernel returns the kernel's books on c, or on the connection inside it.
func openKernel(c net.Conn, receivedOnly bool) (*kernel, error) {
	socket, err := socketOf(c)
	if err != nil {
		return nil, err
	}
	k := &kernel{socket: socket, receivedOnly: receivedOnly}
	isTCP := false
	if err := socket.Control(func(fd uintptr) { isTCP = isPlainTCP(fd) }); err != nil {
		return nil, err
	}
	if !isTCP {
		return nil, errors.ErrUnsupported
	}
	_, err = k.quiet()
	return k, err
}

func socketOf(c net.Conn) (syscall.RawConn, error) {
	for {
		if sc, ok := c.(syscall.Conn); ok {
			return sc.SyscallConn()
		}
		outer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil, errors.ErrUnsupported
		}
		c = outer.NetConn()
	}
}

// left returns how much of the idle time is left for certain: none, if not positive.
func (k *kernel) left(d time.Duration) (time.Duration, error) {
	quiet, err := k.quiet()
	return d - quiet + granularity, err
}

// quiet returns how long ago the last data came or went, or the connection was made.
func (k *kernel) quiet() (time.Duration, error) {
	var received, sent time.Duration
	var err error
	if closed := k.socket.Control(func(fd uintptr) { received, sent, err = lastData(fd) }); closed != nil {
		return 0, closed
	}
	if k.receivedOnly {
		return received, err
	}
	return min(received, sent), err
}
