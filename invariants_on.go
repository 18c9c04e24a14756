//go:build invariants

package hashedwheel

// invariants says whether the worker checks the wheel after every change.
const invariants = true
