package child

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// LimitMemory leaves this process most of the memory that is free: a peer that
// wants more crashes, before the system ends some other process for it.
func LimitMemory() {
	if free := freeMemory(); free > 0 {
		limit := free / 10 * 8
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit}) // better unlimited than not at all
	}
}

// freeMemory returns how many bytes are there for the taking, or 0 if the system
// does not say.
func freeMemory() (n uint64) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(info, []byte("MemAvailable:"))
	_, _ = fmt.Sscan(string(rest), &n)
	return n << 10
}
