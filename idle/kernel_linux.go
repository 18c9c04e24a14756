package idle

import (
	"errors"
	"syscall"
	"time"
	"unsafe"
)

// isPlainTCP reports false for sockets of other kinds, and for Multipath TCP, of which
// TCP_INFO knows the first path alone.
func isPlainTCP(fd uintptr) bool {
	protocol, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_PROTOCOL)
	return err == nil && protocol == syscall.IPPROTO_TCP
}

// lastData returns how long ago data last came and went.
func lastData(fd uintptr) (received, sent time.Duration, err error) {
	var info syscall.TCPInfo
	size := uint32(unsafe.Sizeof(info))
	if errno := getsockopt(fd, syscall.IPPROTO_TCP, syscall.TCP_INFO, unsafe.Pointer(&info), &size); errno != 0 {
		return 0, 0, errno
	}
	if uintptr(size) < unsafe.Offsetof(info.Last_ack_recv) {
		return 0, 0, errors.ErrUnsupported // an emulator that knows only options of one int
	}
	return ms(info.Last_data_recv), ms(info.Last_data_sent), nil
}

func ms(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }
