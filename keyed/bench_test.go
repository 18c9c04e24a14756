package keyed_test

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/keyload"
)

// The package compared with a map with a lock, and time.AfterFunc for each key. The map has a
// million keys; with -short 10,000.
//
//	go test -run '^$' -bench . ./keyed
func BenchmarkMap(b *testing.B) {
	keyload.Run(b, "keyed", keyload.NewKeyed)
	keyload.Run(b, "map+AfterFunc", keyload.NewStd)
}
