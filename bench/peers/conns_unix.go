//go:build unix

package peers

import (
	"math"
	"syscall"
)

// Connections returns how many connections the process may have, both ends counted.
func Connections() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 100
	}
	const others = 100 // files
	return int(min(uint64(l.Cur), math.MaxInt32)-others) / 2
}
