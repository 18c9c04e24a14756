package main

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// heapWatch follows the heap, and says when it has grown too large.
type heapWatch struct {
	start time.Time
	limit uint64
	last  atomic.Int64  // ns since start, of the last look
	most  atomic.Uint64 // bytes
	over  atomic.Bool   // the limit was passed
}

// watchHeap looks at the heap every millisecond, until quit is closed. Busy
// goroutines keep it from doing so, and are to call look themselves.
func watchHeap(limit uint64, quit <-chan struct{}) *heapWatch {
	w := &heapWatch{start: time.Now(), limit: limit}
	go func() {
		tick := time.NewTicker(time.Millisecond)
		for {
			w.look()
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return w
}

// look takes the size of the heap, unless that was done less than a millisecond
// ago.
func (w *heapWatch) look() {
	now, last := int64(time.Since(w.start)), w.last.Load()
	if now-last < int64(time.Millisecond) || !w.last.CompareAndSwap(last, now) {
		return
	}
	n := heapObjects()
	w.most.Store(max(w.most.Load(), n)) // two looks are a millisecond apart
	if n > w.limit {
		w.over.Store(true)
	}
}

// figures returns the peak of the objects, and what the heap has taken from the
// system, which is a peak by itself.
func (w *heapWatch) figures() []figure {
	peak := figure{Name: "peak heap, MiB", Value: mib(w.most.Load())}
	if w.over.Load() {
		peak.Mark = "(called off)"
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return []figure{peak, {Name: "HeapSys, MiB", Value: mib(m.HeapSys)}}
}

// heapObjects returns the bytes of the heap's objects, dead ones not yet swept
// included.
func heapObjects() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func mib(bytes uint64) float64 { return float64(bytes) / (1 << 20) }
