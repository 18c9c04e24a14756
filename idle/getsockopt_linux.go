//go:build !386 && !s390x

package idle

import "syscall"

const sysGetsockopt = syscall.SYS_GETSOCKOPT
