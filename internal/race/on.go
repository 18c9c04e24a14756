//go:build race

// Package race has what the library does differently under the race detector, so that it hides no race of a program.
package race

import "runtime"

// Enabled is true with -race.
const Enabled = true

// Ignore begins a part of this goroutine's work whose atomics order nothing for the race detector.
func Ignore() { runtime.RaceDisable() }

// Heed ends what Ignore began.
func Heed() { runtime.RaceEnable() }
