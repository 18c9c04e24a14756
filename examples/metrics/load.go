package main

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// maxPending is little enough for a burst to be refused in part.
const maxPending = 1000

// A tally is what the workers did, to be compared with what the timer says.
type tally struct {
	armed, refused, stopped, panicking uint64
}

func (t *tally) add(other tally) {
	t.armed += other.armed
	t.refused += other.refused
	t.stopped += other.stopped
	t.panicking += other.panicking
}

// work has the workers arm timeouts for a while, with the collector looking on.
func work(tm *hashedwheel.Timer, cfg config, c *collector) (sum tally) {
	c.every(cfg.interval)
	end := time.Now().Add(cfg.duration)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range cfg.workers {
		workers.Go(func() {
			var mine tally
			for time.Now().Before(end) {
				mine.add(burst(tm, maxPending/5))
				time.Sleep(5 * time.Millisecond)
			}
			mu.Lock()
			defer mu.Unlock()
			sum.add(mine)
		})
	}
	workers.Wait()
	return sum
}

// burst arms n timeouts and stops nearly all: a tenth expires, and one panics.
func burst(tm *hashedwheel.Timer, n int) (t tally) {
	all := make([]*hashedwheel.Timeout, 0, n)
	for i := range n {
		task := func() {}
		if i == 0 {
			task = func() { panic("a task that fails") }
		}
		to := tm.AfterFunc(50*time.Millisecond, task)
		t.armed++
		if to.Err() != nil {
			t.refused++
			continue
		}
		if i == 0 {
			t.panicking++
		}
		all = append(all, to)
	}
	for i, to := range all {
		if i%10 != 0 && to.Stop() {
			t.stopped++
		}
	}
	return t
}
