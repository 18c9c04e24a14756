package idle

import (
	"syscall"
	"unsafe"
)

func unread(fd uintptr) int {
	const fionread = 0x4004667f
	var n, size uint32
	err := syscall.WSAIoctl(syscall.Handle(fd), fionread, nil, 0,
		(*byte)(unsafe.Pointer(&n)), uint32(unsafe.Sizeof(n)), &size, nil, 0)
	if err != nil {
		return 0
	}
	return int(n)
}
