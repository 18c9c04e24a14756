package bench

import "testing"

// BenchmarkRearm arms and stops a timeout that each goroutine keeps.
func BenchmarkRearm(b *testing.B) {
	parallel(b, "", owners, func(k Kind) func(pb *testing.PB) {
		t := k.Open(ms).(Owner)
		return func(pb *testing.PB) {
			for own := t.New(nop); pb.Next(); {
				own.Reset(deadline)
				own.Stop()
			}
		}
	})
}
