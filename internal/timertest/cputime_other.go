//go:build !unix

package timertest

import "time"

// CPUTime returns wall time, since CPU time is not known here.
func CPUTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
