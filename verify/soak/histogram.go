package main

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations by powers of two, in ns. It is safe for concurrent
// use.
type histogram struct {
	counts [65]atomic.Int64
	most   atomic.Int64
}

func (h *histogram) note(ns int64) {
	h.counts[bits.Len64(uint64(max(0, ns)))].Add(1)
	for {
		most := h.most.Load()
		if ns <= most || h.most.CompareAndSwap(most, ns) {
			return
		}
	}
}

func (h *histogram) add(other *histogram) {
	for i := range h.counts {
		h.counts[i].Add(other.counts[i].Load())
	}
	h.most.Store(max(h.most.Load(), other.most.Load()))
}

// below returns a duration that is not exceeded by the given part of all, up to
// twice the least such.
func (h *histogram) below(part float64) time.Duration {
	var all, n int64
	for i := range h.counts {
		all += h.counts[i].Load()
	}
	for i := range h.counts {
		if n += h.counts[i].Load(); float64(n) >= part*float64(all) {
			return time.Duration(min(int64(1)<<i, h.most.Load()))
		}
	}
	return 0
}
