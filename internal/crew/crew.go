// Package crew runs the tasks of a batch in goroutines. None waits for another to return, but
// those that return soon share a few goroutines, for a fraction of the cost of one each.
//
// Whoever takes a task makes sure, before running it, that a goroutine is coming for the
// next. That one clears coming before it takes a task, and is then bound by the same rule: as
// long as a task is left, a goroutine is on its way to it (verify/spin/crew.pml). It is the
// leader/followers pattern of Schmidt and others, 2000.
package crew

import "sync/atomic"

// A Host runs tasks, and counts the goroutines that do.
type Host[T any] interface {
	Enter()     // before a goroutine is started
	Leave()     // at its end
	Run(task T) // it may block, and may end the goroutine
}

type crew[T any] struct {
	host   Host[T]
	tasks  []T          // each belongs to whoever takes it
	taken  atomic.Int32 // how many were taken, and one more for each goroutine that found none left
	coming atomic.Bool  // a goroutine was started that has yet to look for a task
}

// Launch has goroutines run the tasks, at least one, and does not wait for them. The slice is
// the crew's from then on.
func Launch[T any](host Host[T], tasks []T) {
	c := &crew[T]{host: host, tasks: tasks}
	c.call()
}

// call starts a goroutine, unless one is coming already.
func (c *crew[T]) call() {
	if c.coming.CompareAndSwap(false, true) {
		c.host.Enter()
		go c.work()
	}
}

func (c *crew[T]) work() {
	defer c.host.Leave() // deferred: a task may call runtime.Goexit
	c.coming.Store(false)
	var none T
	for {
		i := int(c.taken.Add(1)) - 1
		if i >= len(c.tasks) {
			return
		}
		if i+1 < len(c.tasks) {
			c.call()
		}
		t := c.tasks[i]
		c.tasks[i] = none // a slow task keeps no other from the collector
		c.host.Run(t)
	}
}
