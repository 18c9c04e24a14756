//go:build 386 || s390x

package idle

const sysGetsockopt = 365 // since Linux 4.3; an older kernel does not count
