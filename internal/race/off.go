//go:build !race

// Package race is for code that behaves differently under the race detector, so that no race of a program is hidden.
package race

import "sync/atomic"

// Enabled is false without -race.
const Enabled = false

// Ignore does nothing without -race.
func Ignore() {}

// Heed does nothing without -race.
func Heed() {}

// Load loads n.
func Load(n *atomic.Int64) int64 { return n.Load() }
