//go:build race

// Package race is for code that behaves differently under the race detector, so that no race of a program is hidden.
package race

import "runtime"

// Enabled is true with -race.
const Enabled = true

// Ignore begins a section of this goroutine in which the race detector does not see atomics.
func Ignore() { runtime.RaceDisable() }

// Heed ends the section that Ignore began.
func Heed() { runtime.RaceEnable() }
