//go:build !handicap

// Package handicap slows filing down, as if more processors fed the goroutine that files.
package handicap

// Spend does nothing.
func Spend() {}
