//go:build !invariants

// Package invariants defines a constant that enables checks of the wheel after every change.
package invariants

// Enabled is false without -tags invariants.
const Enabled = false
