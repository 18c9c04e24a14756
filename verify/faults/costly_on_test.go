//go:build race || invariants

package faults

const costly = true
