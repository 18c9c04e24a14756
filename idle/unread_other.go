//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package idle

func unread(uintptr) int { return 0 }
