//go:build !unix

package bench

import "time"

// CPUTime is not known here: all figures of CPU time are zero.
func CPUTime() time.Duration { return 0 }
