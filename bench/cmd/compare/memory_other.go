//go:build !linux

package main

// limitMemory does nothing: only Linux says how much memory is free.
func limitMemory() {}
