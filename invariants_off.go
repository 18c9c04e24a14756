//go:build !invariants

package hashedwheel

// invariants says whether the worker checks the wheel after every change. Build
// with -tags invariants to have it do so.
const invariants = false
