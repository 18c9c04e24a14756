//go:build race || invariants

package hashedwheel_test

const costly = true
