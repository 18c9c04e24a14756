package main

import (
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
)

// watchdogs bark at members that were not seen for a while. Their code uses only clockwork.
type watchdogs struct {
	clock clockwork.Clock
	after time.Duration
	all   []clockwork.Timer
	seen  []atomic.Int64 // when each member was seen last, since start

	start  time.Time
	barks  atomic.Int64
	early  atomic.Int64 // early barks
	latest atomic.Int64 // greatest lateness of a bark
}

func newWatchdogs(clock clockwork.Clock, n int, after time.Duration) *watchdogs {
	w := &watchdogs{clock: clock, after: after, all: make([]clockwork.Timer, n), seen: make([]atomic.Int64, n), start: clock.Now()}
	for i := range w.all {
		w.all[i] = clock.AfterFunc(after, func() { w.bark(i) })
	}
	return w
}

// see moves the timer of a member.
func (w *watchdogs) see(i int) {
	w.seen[i].Store(int64(w.clock.Since(w.start)))
	w.all[i].Reset(w.after)
}

func (w *watchdogs) bark(i int) {
	late := int64(w.clock.Since(w.start)) - w.seen[i].Load() - int64(w.after)
	if late < 0 {
		w.early.Add(1)
	}
	for latest := w.latest.Load(); late > latest && !w.latest.CompareAndSwap(latest, late); {
		latest = w.latest.Load()
	}
	w.barks.Add(1)
}
