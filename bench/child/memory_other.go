//go:build !linux

package child

// LimitMemory does nothing: only Linux says how much memory is free.
func LimitMemory() {}
