//go:build invariants

package hashedwheel

const invariants = true // the wheel is checked after every change
