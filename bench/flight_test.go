package bench

import (
	"sync/atomic"
	"time"
)

const callsInBatch = 99 // between two clock reads

// flight holds the calls of one goroutine that wait for their answers. Each is stopped about 5 ms after it was armed,
// or earlier if too many are in flight.
type flight struct {
	stop   func(Armed)
	count  *gauge
	ring   []batch
	first  int // number of the oldest batch in flight
	last   int // number of the newest
	newest *batch
}

// batch holds calls that were armed one after another.
type batch struct {
	since time.Time
	calls [callsInBatch]Armed
	n     int
}

// newFlight returns a flight of at most so many calls, which are ended by stop and counted by count.
func newFlight(most int, count *gauge, stop func(Armed)) *flight {
	f := &flight{stop: stop, count: count, ring: make([]batch, max(2, most/callsInBatch))}
	f.newest = &f.ring[0]
	f.newest.since = time.Now()
	return f
}

func (f *flight) batch(number int) *batch { return &f.ring[number%len(f.ring)] }

func (f *flight) add(to Armed) {
	if f.newest.n == callsInBatch {
		f.next()
	}
	f.newest.calls[f.newest.n] = to
	f.newest.n++
}

func (f *flight) next() {
	now := time.Now()
	f.count.add(callsInBatch)
	for f.first <= f.last && now.Sub(f.batch(f.first).since) >= answerAfter {
		f.land()
	}
	f.last++
	if f.last-f.first == len(f.ring) {
		f.land()
	}
	f.newest = f.batch(f.last)
	f.newest.since = now
}

// land stops the oldest batch.
func (f *flight) land() {
	b := f.batch(f.first)
	for i := range b.n {
		f.stop(b.calls[i])
		b.calls[i] = nil
	}
	f.count.add(-b.n)
	b.n = 0
	f.first++
}

// landAll stops all calls in flight.
func (f *flight) landAll() {
	for f.first <= f.last {
		f.land()
	}
}

// gauge counts for several goroutines, and keeps the maximum.
type gauge struct{ now, most atomic.Int64 }

func (g *gauge) add(n int) {
	if now := g.now.Add(int64(n)); now > g.most.Load() {
		g.most.Store(now) // a race may lose a few
	}
}
