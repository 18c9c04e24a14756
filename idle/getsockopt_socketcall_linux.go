//go:build 386 || s390x

package idle

import (
	"syscall"
	"unsafe"
)

// getsockopt uses socketcall, which these machines had before they had a system call for each socket function.
func getsockopt(fd, level, name uintptr, value unsafe.Pointer, size *uint32) syscall.Errno {
	const sysGetsockopt = 15
	args := struct {
		fd, level, name uintptr
		value           unsafe.Pointer
		size            *uint32
	}{fd, level, name, value, size}
	_, _, errno := syscall.Syscall(syscall.SYS_SOCKETCALL, sysGetsockopt, uintptr(unsafe.Pointer(&args)), 0)
	return errno
}
