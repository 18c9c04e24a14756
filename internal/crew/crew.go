// Package crew runs the tasks of a batch in goroutines. No task waits for another to return, but tasks that return soon
// share a few goroutines, at a fraction of the cost of one each.
//
// A goroutine that takes a task makes sure, before it runs the task, that another goroutine is coming for the next one.
// The other goroutine clears coming before it takes a task, and then follows the same rule: as long as a task is left,
// a goroutine is on its way to it. This is the leader/followers pattern of Schmidt and others,
// 2000.
//
// For the race detector, tasks that share a goroutine are ordered, and do not race. So with -race each task has its own
// goroutine, and races between tasks are reported.
package crew

import (
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel/internal/race"
)

// A Host runs tasks, and counts the goroutines that do.
type Host[T any] interface {
	Enter()     // before a goroutine is started
	Leave()     // at its end
	Run(task T) // it may block, and may end the goroutine
}

// Crews launches one batch after another. Its methods are for one goroutine at a time.
type Crews[T any] struct {
	host     Host[T]
	separate bool                    // each task has its own goroutine
	next     *crew[T]                // for the tasks of this batch; nil before its first
	size     int                     // of the last batch: a guess at the size of the next
	spare    atomic.Pointer[crew[T]] // a crew that all goroutines have left: Swap in Add pairs with Store in leave
}

// Init sets the host, before the first Add.
func (cs *Crews[T]) Init(host Host[T]) { cs.host, cs.separate = host, race.Enabled }

// Add adds a task to the batch. It allocates nothing if a crew is spare: an allocation could trigger GC assist, and
// then the worker would wait behind all goroutines that are ready to run.
func (cs *Crews[T]) Add(task T) {
	if cs.next == nil {
		cs.next = cs.spare.Swap(nil)
	}
	if cs.next == nil {
		cs.next = &crew[T]{crews: cs, tasks: make([]T, 0, cs.size)}
		cs.next.work = cs.next.run
	}
	cs.next.tasks = append(cs.next.tasks, task)
}

// Launch has goroutines run the tasks of the batch, and does not wait for them.
func (cs *Crews[T]) Launch() {
	c := cs.take()
	switch {
	case c == nil:
	case cs.separate:
		c.scatter()
	default:
		c.call()
	}
}

// Keep takes the batch that was added but not launched, for the caller to run as its last act, which saves a goroutine.
// It returns nil if there is no batch, or if each task has its own goroutine. The caller has entered the host, and run
// leaves it.
func (cs *Crews[T]) Keep() (run func()) {
	if cs.separate {
		cs.Launch()
		return nil
	}
	c := cs.take()
	if c == nil {
		return nil
	}
	c.inside.Add(1)
	return c.work
}

// HasTasks reports whether a batch was added but not launched.
func (cs *Crews[T]) HasTasks() bool { return cs.next != nil }

// take returns the crew of the batch that was added, nil if there is none.
func (cs *Crews[T]) take() *crew[T] {
	c := cs.next
	if c != nil {
		cs.next, cs.size = nil, len(c.tasks)
	}
	return c
}

type crew[T any] struct {
	crews  *Crews[T]
	work   func()       // c.run as a func, so that a go statement allocates nothing
	tasks  []T          // each belongs to the goroutine that takes it
	taken  atomic.Int32 // how many tasks were taken, and one more for each goroutine that found none left
	coming atomic.Bool  // a started goroutine has not taken a task yet
	inside atomic.Int32 // started goroutines that have not left
}

// call starts a goroutine, unless one is coming already.
func (c *crew[T]) call() {
	if c.coming.CompareAndSwap(false, true) {
		c.inside.Add(1)
		c.crews.host.Enter()
		go c.work()
	}
}

func (c *crew[T]) run() {
	defer c.leave() // deferred: a task may call runtime.Goexit
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
		c.tasks[i] = none // let the collector have it while later tasks run
		c.crews.host.Run(t)
	}
}

// scatter starts a goroutine for each task.
func (c *crew[T]) scatter() {
	host := c.crews.host
	for _, t := range c.tasks {
		host.Enter()
		go func() {
			defer host.Leave() // deferred: a task may call runtime.Goexit
			host.Run(t)
		}()
	}
}

// leave ends a goroutine. When the last one leaves, all tasks have been taken, since a goroutine comes for each, and no
// goroutine is coming, since only one inside calls another: the next batch may use the crew.
func (c *crew[T]) leave() {
	host := c.crews.host
	if c.inside.Add(-1) == 0 {
		c.tasks = c.tasks[:0]
		c.taken.Store(0)
		c.crews.spare.Store(c)
	}
	host.Leave()
}
