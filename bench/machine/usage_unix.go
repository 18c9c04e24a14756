//go:build linux || darwin

package machine

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// HasUsage reports whether CPUTime and PeakMemory are known here.
const HasUsage = true

// CPUTime returns the CPU time that this process has used.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakMemory returns the peak resident memory, in MB, of a process that has
// ended and of its children.
func PeakMemory(p *os.ProcessState) float64 {
	unit := 1e3 // Maxrss counts kilobytes
	if runtime.GOOS == "darwin" {
		unit = 1e6
	}
	return float64(p.SysUsage().(*syscall.Rusage).Maxrss) / unit
}

// LimitMemory limits this process to most of the free memory, so that a peer
// which needs more crashes before the system ends another process.
func LimitMemory() {
	if free := freeMemory(); free > 0 {
		limit := free / 10 * 8
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit}) // better no limit than no figures
	}
}
