package load

import (
	"testing"
	"time"
)

func TestBucketsAreAsWideAsASixteenth(t *testing.T) {
	for d := time.Duration(1); d < time.Hour; d = d*9/8 + 1 {
		var r Run
		r.measuring.Store(true)
		r.Observe(d)
		if got := time.Duration(r.quantile(0.5)); got < d || got > max(d, 16)*17/16+1 {
			t.Fatalf("%v shows as %v", d, got)
		}
	}
}

func TestQuantileCounts(t *testing.T) {
	var r Run
	r.Observe(time.Hour) // not measured
	r.measuring.Store(true)
	for i := range 1000 {
		r.Observe(time.Duration(i+1) * time.Millisecond)
	}
	p := time.Duration(r.quantile(0.99))
	if p < 990*time.Millisecond || p > 990*time.Millisecond*18/16 || r.ops() != 1000 {
		t.Fatal(p, r.ops())
	}
}
