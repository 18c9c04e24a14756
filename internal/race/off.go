//go:build !race

// Package race has what the library does differently under the race detector, so that it hides no race of a program.
package race

// Enabled is false without -race.
const Enabled = false

// Ignore does nothing without -race.
func Ignore() {}

// Heed does nothing without -race.
func Heed() {}
