//go:build !invariants

package hashedwheel

const invariants = false
