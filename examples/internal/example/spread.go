package example

import (
	"fmt"
	"slices"
	"time"
)

// Spread describes durations by their minimum, median, 99th percentile and maximum. It
// sorts them.
func Spread(d []time.Duration) string {
	if len(d) == 0 {
		return "none"
	}
	slices.Sort(d)
	at := func(percent int) time.Duration {
		return d[(len(d)-1)*percent/100].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("min %v, p50 %v, p99 %v, max %v", at(0), at(50), at(99), at(100))
}
