//go:build handicap

// Package handicap slows filing down, as if more processors fed the goroutine that files.
package handicap

import (
	"os"
	"time"
)

var duration, _ = time.ParseDuration(os.Getenv("HASHEDWHEEL_HANDICAP"))

// Spend keeps the processor busy for the duration in the environment variable HASHEDWHEEL_HANDICAP,
// in the form of time.ParseDuration: "100ns".
func Spend() {
	for begun := time.Now(); time.Since(begun) < duration; {
	}
}
