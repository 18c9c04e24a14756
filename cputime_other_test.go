//go:build !unix

package hashedwheel_test

import "time"

// cpuTime is not known here; wall time stands for it.
func cpuTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
