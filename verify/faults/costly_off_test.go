//go:build !race && !invariants

package faults

// costly is true with the race detector and with invariants: everything takes
// several times as long, and with the race detector several times the memory.
const costly = false
