//go:build !386 && !s390x

package idle

import (
	"syscall"
	"unsafe"
)

func getsockopt(fd, level, name uintptr, value unsafe.Pointer, size *uint32) syscall.Errno {
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, level, name,
		uintptr(value), uintptr(unsafe.Pointer(size)), 0)
	return errno
}
