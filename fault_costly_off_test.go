//go:build !race && !invariants

package hashedwheel_test

// costly says whether everything takes several times as long, and with the race
// detector as much memory.
const costly = false
