//go:build !unix

package bench

import "time"

// CPUTime returns 0: on this system all figures of CPU time are zero.
func CPUTime() time.Duration { return 0 }
