package hashedwheel

import (
	"slices"
	"sync/atomic"
)

// A crew runs the tasks that the default executor gets from one batch. None waits
// for another to return, as if each had a goroutine of its own, but those that
// return soon share one, for a fraction of the cost.
//
// Who takes a task that is not the last sees to it, before running it, that a
// goroutine is coming for the next. The one that comes says so before it takes a
// task, and is then bound by the same rule. So while a task is left, somebody who
// is in none of them is on the way to it, and verify/spin/crew.pml checks that.
// (The leader/followers pattern of Schmidt, O'Ryan, Pyarali, Kircher and
// Buschmann, 2000.)
type crew struct {
	timer    *Timer
	timeouts []*Timeout   // expired; each belongs to who takes it
	taken    atomic.Int32 // of timeouts, and once more by each goroutine that ends
	coming   atomic.Bool  // a goroutine has been started that has not looked for a task yet
}

// launch has the tasks of what has expired in a batch run. The worker calls it
// without mu.
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

// call sees to it that a goroutine is coming.
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
