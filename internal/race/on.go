//go:build race

// Package race is for code that behaves differently under the race detector, so that no race of a program is hidden.
package race

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Enabled is true with -race.
const Enabled = true

// Ignore begins a section of this goroutine in which the race detector does not see atomics.
func Ignore() { runtime.RaceDisable() }

// Heed ends the section that Ignore began.
func Heed() { runtime.RaceEnable() }

// Load loads n, which the race detector does not see. It runs on 64-bit machines only, where a plain load is atomic.
//
//go:norace
func Load(n *atomic.Int64) int64 { return *(*int64)(unsafe.Pointer(n)) }
