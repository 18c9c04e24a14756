package main

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// maxPending is so small that the timer rejects some timeouts.
const maxPending = 1000

// A tally counts the calls of the workers, for comparison with the timer's Stats.
type tally struct {
	armed, rejected, stopped, panicking uint64
}

func (t *tally) add(other tally) {
	t.armed += other.armed
	t.rejected += other.rejected
	t.stopped += other.stopped
	t.panicking += other.panicking
}

// work has the workers arm timeouts for a while, while the collector reads the page.
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
			t.rejected++
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
