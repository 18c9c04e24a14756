package idle

import (
	"errors"
	"syscall"
	"time"
	"unsafe"
)

// isPlainTCP reports false for sockets of other kinds, and for Multipath TCP, of which TCP_INFO covers only the first
// path.
func isPlainTCP(fd uintptr) bool {
	protocol, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_PROTOCOL)
	return err == nil && protocol == syscall.IPPROTO_TCP
}

// trafficOn returns what the kernel reports about a connection.
func trafficOn(fd uintptr) (traffic, error) {
	info, size, err := tcpInfo(fd)
	if err != nil {
		return traffic{}, err
	}
	return trafficIn(&info, size)
}

func tcpInfo(fd uintptr) (info syscall.TCPInfo, size uint32, err error) {
	size = uint32(unsafe.Sizeof(info))
	_, _, errno := syscall.Syscall6(sysGetsockopt, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		err = errno
	}
	return info, size, err
}

// trafficIn refuses the answers of kernels that implement the call but not all fields it reads. Some fill in a single
// int; gVisor leaves most fields zero, even the size of a segment, which is never zero for a connection on Linux.
func trafficIn(info *syscall.TCPInfo, size uint32) (traffic, error) {
	const read = unsafe.Offsetof(info.Last_ack_recv) + unsafe.Sizeof(info.Last_ack_recv)
	if uintptr(size) < read || info.Snd_mss == 0 {
		return traffic{}, errors.ErrUnsupported
	}
	return traffic{
		received:  ms(info.Last_data_recv),
		sent:      ms(info.Last_data_sent),
		acked:     ms(info.Last_ack_recv),
		resending: info.Retransmits > 0,
	}, nil
}

func ms(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }

// unread returns zero for a connection that was reset or given up, although Linux keeps its data: it cannot be
// answered.
func unread(fd uintptr) int {
	n := queued(fd, syscall.TIOCINQ)
	if n == 0 {
		return 0
	}
	const closed = 7 // TCP_CLOSE
	if info, _, err := tcpInfo(fd); err == nil && info.State == closed {
		return 0
	}
	return n
}

func unsent(fd uintptr) int { return queued(fd, syscall.TIOCOUTQ) }

// queued makes one of the two requests, whose numbers are those of the same requests to a terminal.
func queued(fd, request uintptr) int {
	var n int32 // stays zero if the socket does not answer
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(&n)))
	return int(n)
}
