package bench

import (
	"runtime/metrics"
	"sync/atomic"
	"time"
)

const mib = 1 << 20

// heapBytes returns the size of all objects on the heap, including garbage that has not been swept yet.
func heapBytes() float64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}

// heapWatch records the peak of the heap.
type heapWatch struct {
	start  time.Time
	before float64
	limit  float64      // bytes above which over is set; 0: none
	last   atomic.Int64 // ns since start, of the last look; looking: a goroutine looks, and may write most
	most   float64      // bytes beyond before
	over   atomic.Bool  // the limit was exceeded
	quit   chan struct{}
	done   chan struct{}
}

// watchHeap reads the size of the heap every millisecond until end. Goroutines that keep all processors busy would
// delay that, so they call look themselves.
func watchHeap(limit float64) *heapWatch {
	w := &heapWatch{
		start: time.Now(), before: heapBytes(), limit: limit,
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			w.look()
			select {
			case <-tick.C:
			case <-w.quit:
				return
			}
		}
	}()
	return w
}

const looking = -1

// look reads the size of the heap, at most once a millisecond.
func (w *heapWatch) look() {
	now, last := int64(time.Since(w.start)), w.last.Load()
	isRecent := last > 0 && now-last < int64(time.Millisecond)
	if last == looking || isRecent || !w.last.CompareAndSwap(last, looking) {
		return
	}
	n := heapBytes()
	w.most = max(w.most, n-w.before)
	if w.limit > 0 && n > w.limit {
		w.over.Store(true)
	}
	w.last.Store(max(now, 1))
}

// end returns by how many MiB the heap had grown at its peak. No call of look may be in progress.
func (w *heapWatch) end() float64 {
	close(w.quit)
	<-w.done
	return w.most / mib
}
