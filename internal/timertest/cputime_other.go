//go:build !unix

package timertest

import "time"

// CPUTime is not known here; wall time stands for it.
func CPUTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
