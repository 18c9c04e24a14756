package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// heapLog is the heap in use after a collection, over the run.
type heapLog struct {
	within  [samplesALife][]uint64 // by its place in a life: of every round
	between []uint64               // with no timer alive: of every round
	kept    uint64                 // by Go for goroutines that have ended, not counted above
}

const (
	samplesALife = 4

	// More than growth times as much heap, and slack on top, is no longer flat.
	growth = 1.5
	slack  = 4 << 20

	mostGoroutines = 20_000 // at a time, except tasks that pile up in a long stall
)

// keepGoroutines has Go allocate memory for n goroutines, half a KiB each. Go keeps that forever:
// otherwise a burst of tasks would look like a leak.
func (h *heapLog) keepGoroutines(n int) {
	before, goroutines := liveHeap(), runtime.NumGoroutine()
	release := make(chan struct{})
	for range min(n, mostGoroutines) {
		go func() { <-release }()
	}
	close(release)
	for runtime.NumGoroutine() > goroutines {
		time.Sleep(time.Millisecond)
	}
	h.kept = liveHeap() - before
}

// live returns the heap in use, except Go's reserve.
func (h *heapLog) live() uint64 {
	heap := liveHeap()
	return heap - min(heap, h.kept)
}

// sampleHeap measures the heap while the producers pause: pending timeouts, and stopped timeouts
// that the timers have not let go of yet.
func (s *soak) sampleHeap(i int, lives []*life) {
	s.gate.Lock()
	defer s.gate.Unlock()
	for _, l := range lives {
		l.tm.Pending() // drains
	}
	s.heap.within[i] = append(s.heap.within[i], s.heap.live())
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// judge compares the first and the last quarter of every life, and of the run.
func (h *heapLog) judge(f *faults) {
	compare := func(what string, first, last uint64) {
		if float64(last) > growth*float64(first)+slack {
			f.add("all", 1, what, bytes(first)+" in the first quarter, "+bytes(last)+" in the last")
		}
	}
	compare("the heap grows during a timer's life", median(h.within[0]), median(h.within[samplesALife-1]))
	quarter := (len(h.between) + 3) / 4
	compare("the heap grows from timer to timer", median(h.between[:quarter]), median(h.between[len(h.between)-quarter:]))
}

func median(sample []uint64) uint64 {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(sample))
	return sorted[len(sorted)/2]
}

// checkGoroutines waits for as few goroutines as there were in the beginning.
func (s *soak) checkGoroutines() {
	began := time.Now()
	for runtime.NumGoroutine() > s.goroutines {
		if time.Since(began) > s.patience {
			s.faults.add("all", int64(runtime.NumGoroutine()-s.goroutines), "a goroutine is left over", creators())
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// creators returns the functions that started the current goroutines, with their counts.
func creators() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	count := make(map[string]int)
	for line := range strings.SplitSeq(string(buf), "\n") {
		if by, ok := strings.CutPrefix(line, "created by "); ok {
			by, _, _ = strings.Cut(by, " in goroutine")
			count[by]++
		}
	}
	var list []string
	for by, n := range count {
		list = append(list, fmt.Sprintf("%d by %s", n, by))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
