package main

import (
	"sync"
	"time"
)

// heartbeat is a timeout that arms itself again, for points on a fixed grid. Its
// lateness counts from the point at which a beat was meant to be: a beat that
// comes after a stall counts for each point of the grid that the stall has
// covered, so that no stall hides what it has kept from beginning.
type heartbeat struct {
	every time.Duration
	start time.Time
	late  histogram

	mu    sync.Mutex
	next  time.Duration // since start, of the next beat; guarded by mu
	ended bool          // guarded by mu
	own   owned         // guarded by mu
}

func startHeartbeat(t timer, every time.Duration) *heartbeat {
	b := &heartbeat{every: every, start: time.Now(), next: every}
	b.mu.Lock() // the first beat may come before own is set
	defer b.mu.Unlock()
	b.own = t.own(b.beat)
	b.own.arm(every)
	return b
}

func (b *heartbeat) beat() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.count()
	b.own.arm(time.Until(b.start.Add(b.next)))
}

// count takes in every point that has passed.
func (b *heartbeat) count() {
	now := time.Since(b.start)
	for ; b.next <= now; b.next += b.every {
		b.late.add(now - b.next)
	}
}

// end stops the beats. A point that no beat has come for by now counts as late by
// so much.
func (b *heartbeat) end() *histogram {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
	b.ended = true
	return &b.late
}
