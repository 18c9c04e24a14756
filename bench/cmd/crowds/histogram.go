package main

import (
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in buckets of three percent. It is safe for
// concurrent use.
type histogram struct {
	counts [2048]atomic.Uint64 // by bucketOf
	most   atomic.Int64
	early  atomic.Int64 // the durations below zero, which count as zero
}

// bucketOf returns d itself up to 63 ns, and from there on 32 buckets for each
// power of two.
func bucketOf(d time.Duration) int {
	u := uint64(max(d, 0))
	e := max(0, bits.Len64(u)-6)
	return e*32 + int(u>>e)
}

// upper returns the largest duration of a bucket.
func upper(bucket int) time.Duration {
	e := max(0, bucket/32-1)
	return time.Duration((bucket-32*e+1)<<e - 1)
}

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(d)].Add(1)
	if d < 0 {
		h.early.Add(1)
	}
	for {
		most := h.most.Load()
		if int64(d) <= most || h.most.CompareAndSwap(most, int64(d)) {
			return
		}
	}
}

// addStall counts d for somebody who asks at once, and what is left of it for all
// who would have asked meanwhile, one every so often.
func (h *histogram) addStall(d, every time.Duration) {
	h.add(d)
	for d -= every; d > 0; d -= every {
		h.add(d)
	}
}

// include adds what another histogram has counted.
func (h *histogram) include(other *histogram) {
	for i := range other.counts {
		if n := other.counts[i].Load(); n > 0 {
			h.counts[i].Add(n)
		}
	}
	h.early.Add(other.early.Load())
	h.most.Store(max(h.most.Load(), other.most.Load()))
}

func (h *histogram) total() (n uint64) {
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// quantile returns a duration that a part p of all does not exceed.
func (h *histogram) quantile(p float64) time.Duration {
	rank := uint64(math.Ceil(p * float64(h.total())))
	seen := uint64(0)
	for i := range h.counts {
		if seen += h.counts[i].Load(); seen >= max(rank, 1) {
			return min(upper(i), time.Duration(h.most.Load()))
		}
	}
	return 0
}

// figures returns quantiles, named after what was measured; 1 is the largest.
func (h *histogram) figures(what string, unit time.Duration, quantiles ...float64) (all []figure) {
	for _, q := range quantiles {
		name := fmt.Sprintf("%s p%v", what, math.Round(q*1e8)/1e6)
		if q == 1 {
			name = what + " max"
		}
		f := figure{Name: name + ", " + unitName(unit), Value: float64(h.quantile(q)) / float64(unit)}
		if n := h.early.Load(); n > 0 {
			f.Mark = fmt.Sprintf("(EARLY: %d)", n)
		}
		if h.total() == 0 {
			f.Mark, f.Void = "none", true
		}
		all = append(all, f)
	}
	return all
}

func unitName(d time.Duration) string { return d.String()[1:] } // 1ms: ms
