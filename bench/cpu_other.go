//go:build !unix

package bench

import "time"

// cpuTime is not known here: all figures of CPU time are zero.
func cpuTime() time.Duration { return 0 }
