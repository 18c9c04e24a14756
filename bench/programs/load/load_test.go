package load

import (
	"testing"
	"time"
)

func TestBucketsAreAsWideAsASixteenth(t *testing.T) {
	for d := time.Duration(1); d < time.Hour; d = d*9/8 + 1 {
		r := &Run{}
		r.measuring.Store(true)
		r.Observe(d)
		got := time.Duration(r.quantile(0.5) * 1e9)
		if got < d || got > max(d, 16)*17/16+1 {
			t.Fatalf("%v shows as %v", d, got)
		}
	}
}

func TestQuantileCounts(t *testing.T) {
	r := &Run{}
	r.measuring.Store(true)
	for i := range 1000 {
		r.Observe(time.Duration(i+1) * time.Millisecond)
	}
	if p := r.quantile(0.99); p < 0.990 || p > 0.990*18/16 {
		t.Fatal(p)
	}
}
