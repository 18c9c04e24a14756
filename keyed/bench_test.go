package keyed_test

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/keyload"
)

// The package beside what one writes without it: a map with a lock, and time.AfterFunc
// for each key. A million keys are there; -short takes 10,000.
//
//	go test -run '^$' -bench . ./keyed
func BenchmarkMap(b *testing.B) {
	keyload.Run(b, "keyed", keyload.NewKeyed)
	keyload.Run(b, "map+AfterFunc", keyload.NewStd)
}
