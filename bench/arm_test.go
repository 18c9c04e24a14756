package bench

import "testing"

// BenchmarkArm arms a new timeout and stops it, while others are pending.
func BenchmarkArm(b *testing.B) {
	for _, n := range []int{0, count(1e6)} {
		parallel(b, "pending="+short(n), anyKind, func(k Kind) func(pb *testing.PB) {
			t := k.Open(ms)
			fill(t, ms, n)
			return func(pb *testing.PB) {
				for pb.Next() {
					t.AfterFunc(deadline, nop).Stop()
				}
			}
		})
	}
}
