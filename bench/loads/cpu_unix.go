//go:build unix

package loads

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func cpuFigure(name, unit string, value float64) Figure {
	return Figure{Name: name, Unit: unit, Value: value}
}
