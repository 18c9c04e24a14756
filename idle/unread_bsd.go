//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package idle

import (
	"syscall"
	"unsafe"
)

func unread(fd uintptr) int {
	const fionread = 0x4004667f
	var n int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, fionread, uintptr(unsafe.Pointer(&n)))
	if errno != 0 {
		return 0
	}
	return int(n)
}
