package hashedwheel

import (
	"slices"
	"sync/atomic"
)

// A crew runs the tasks that one batch has for the default executor. None waits for
// another to return, as if each had a goroutine of its own, but those that return
// soon share a few, for a fraction of the cost.
//
// Whoever takes a task that is not the last makes sure, before running it, that a
// goroutine is coming for the next. That one clears coming before it takes a task,
// and is then bound by the same rule. So as long as a task is left, a goroutine that
// is in none is on its way to it: verify/spin/crew.pml checks that.
// (The leader/followers pattern of Schmidt, O'Ryan, Kircher, Pyarali and
// Buschmann, 2000.)
type crew struct {
	timer    *Timer
	timeouts []*Timeout   // expired; each belongs to who takes it
	taken    atomic.Int32 // how many were taken, and one more for each goroutine that found none left
	coming   atomic.Bool  // a goroutine was started that has yet to look for a task
}

// launch starts the tasks of what has expired in a batch, on the default executor.
// The worker calls it without mu.
func (t *Timer) launch(b *batch) {
	switch len(b.expired) {
	case 0:
		return
	case 1:
		t.running.Add(1)
		go t.runAndLeave(b.expired[0])
	default:
		c := &crew{timer: t, timeouts: slices.Clone(b.expired)}
		c.call()
	}
	clear(b.expired) // let the collector have them
	b.expired = b.expired[:0]
}

// call starts a goroutine, unless one is coming already.
func (c *crew) call() {
	if c.coming.CompareAndSwap(false, true) {
		c.timer.running.Add(1)
		go c.work()
	}
}

func (c *crew) work() {
	defer c.timer.leave() // deferred: a task may call runtime.Goexit
	c.coming.Store(false)
	for {
		i := int(c.taken.Add(1)) - 1
		if i >= len(c.timeouts) {
			return
		}
		if i+1 < len(c.timeouts) {
			c.call()
		}
		to := c.timeouts[i]
		c.timeouts[i] = nil // a slow task keeps no other from the collector
		c.timer.run(to)
	}
}
