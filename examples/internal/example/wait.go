package example

import (
	"runtime"
	"time"
)

// Until waits until done returns true, at most for limit. It reports whether done did.
func Until(limit time.Duration, done func() bool) bool {
	for end := time.Now().Add(limit); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Goroutines returns the number of goroutines. It waits up to two seconds for the number to
// fall to want, since a goroutine that has done its work ends a moment later.
func Goroutines(want int) int {
	Until(2*time.Second, func() bool { return runtime.NumGoroutine() <= want })
	return runtime.NumGoroutine()
}
