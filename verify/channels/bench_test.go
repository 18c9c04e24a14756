package channels_test

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// BenchmarkAfter makes the deadline of a select that another case ends.
func BenchmarkAfter(b *testing.B) {
	b.Run("impl=std", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				time.After(30 * time.Second)
			}
		})
	})
	b.Run("impl=After", func(b *testing.B) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				tm.After(30 * time.Second)
			}
		})
	})
}
