package hashedwheel

import (
	"slices"
	"sync/atomic"
)

// A crew runs the tasks of one batch. None waits for another to return, but those that
// return soon share a few goroutines, for a fraction of the cost of one each.
//
// Whoever takes a task makes sure, before running it, that a goroutine is coming for the
// next. That one clears coming before it takes a task, and is then bound by the same rule:
// as long as a task is left, a goroutine is on its way to it (verify/spin/crew.pml).
// It is the leader/followers pattern of Schmidt, O'Ryan, Kircher, Pyarali and Buschmann, 2000.
type crew struct {
	out      *runner
	timeouts []*Timeout   // expired; each belongs to whoever takes it
	taken    atomic.Int32 // how many were taken, and one more for each goroutine that found none left
	coming   atomic.Bool  // a goroutine was started that has yet to look for a task
}

// launch starts the tasks that a crew has to run. The worker calls it without the
// lock, at the end of a batch.
func (r *runner) launch() {
	switch len(r.expired) {
	case 0:
		return
	case 1:
		r.enter()
		go r.runAndLeave(r.expired[0])
	default:
		c := &crew{out: r, timeouts: slices.Clone(r.expired)}
		c.call()
	}
	clear(r.expired) // let the collector have them
	r.expired = r.expired[:0]
}

// call starts a goroutine, unless one is coming already.
func (c *crew) call() {
	if c.coming.CompareAndSwap(false, true) {
		c.out.enter()
		go c.work()
	}
}

func (c *crew) work() {
	defer c.out.leave() // deferred: a task may call runtime.Goexit
	c.coming.Store(false)
	for {
		i := int(c.taken.Add(1)) - 1
		if i >= len(c.timeouts) {
			return
		}
		if i+1 < len(c.timeouts) {
			c.call()
		}
		t := c.timeouts[i]
		c.timeouts[i] = nil // a slow task keeps no other from the collector
		c.out.run(t)
	}
}
