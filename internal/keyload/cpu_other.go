//go:build !unix

package keyload

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
