//go:build !invariants

// Package invariants has a constant: whether the wheel is checked after every change.
package invariants

// Enabled is false without -tags invariants.
const Enabled = false
