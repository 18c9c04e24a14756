package hashedwheel

import (
	"sync"
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel/internal/crew"
	"github.com/hashedwheel/hashedwheel/internal/hook"
	"github.com/hashedwheel/hashedwheel/internal/race"
)

// An Executor runs tasks. The worker of a Timer calls Go for one task after another, never concurrently, and waits
// until Go returns. If Go blocks, all due timeouts wait, including the channels of After: to bound how many
// tasks run at once, use Limit, which queues the others. Go runs f once, itself or in another goroutine. If f never
// runs, the task is lost, and Shutdown waits until its context ends. If Go panics or ends its goroutine, Shutdown does
// not wait for a task that has not begun by then, and a series pauses until its Reset; the panic goes to the panic
// handler, or crashes the program.
//
// *sync.WaitGroup fits as it is; for pools see ExecutorFunc. Close a pool after Timer.Shutdown: after Timer.StopAll the
// worker may still dispatch a task.
type Executor interface {
	Go(f func())
}

// ExecutorFunc is a function used as an Executor, such as one that calls a pool's method of another name or type. If
// the method blocks while the pool is full, have a Limit(1) call it: then tasks wait in the queue of the Limit, and the
// worker does not. For errgroup, ants and pond see examples/integrations/pools.
type ExecutorFunc func(f func())

// Go calls e(f).
func (e ExecutorFunc) Go(f func()) { e(f) }

// Inline has the worker run tasks, one after another but not always on the same goroutine: the cheapest Executor, for
// tasks that take microseconds. A slow task delays all others: of two hundred tasks that take 5ms each, the last is a
// second late. Tasks that may block need the default.
type Inline struct{}

// Go calls f.
func (Inline) Go(f func()) { f() }

// runner gives the task of each expired timeout to the executor, and counts tasks and goroutines for Shutdown.
type runner struct {
	executor Executor // nil: the crews; set by init, then read only, like the next two
	isInline bool
	onPanic  func(t *Timeout, recovered any)
	crews    crew.Crews[*Timeout] // for tasks that have no other executor; only the worker uses it
	panics   atomic.Uint64        // counted by handlePanic, for Stats

	// running counts the goroutines of the worker, of Advance, of the crews, the tasks that the executor has, plus one
	// until Timer.StopAll. Once it is 0, no task runs and none can start. Leave pairs with Enter.
	running atomic.Int64
	idle    sync.Once     // closes done
	done    chan struct{} // closed when running has reached 0
}

func (r *runner) init(o *options) {
	r.executor, r.onPanic = o.executor, o.onPanic
	_, r.isInline = o.executor.(Inline)
	r.done = make(chan struct{})
	r.crews.Init(r)
	r.Enter()
}

// Enter counts a goroutine or a task. The race detector does not see it: otherwise a task that has returned would
// happen before all tasks that are dispatched later.
func (r *runner) Enter() {
	race.Ignore()
	r.running.Add(1)
	race.Heed()
}

// Leave undoes one Enter. After Timer.StopAll running can reach 0 again: a timer that fires, or an Advance in progress,
// enters, and finds nothing to do.
func (r *runner) Leave() {
	if r.running.Add(-1) == 0 {
		r.idle.Do(func() { close(r.done) })
	}
}

// execute dispatches a task.
func (r *runner) execute(t *Timeout) {
	task, isWorkers := t.task.(hook.WorkerTask)
	switch {
	case isWorkers && task.TryRun():
	case r.isInline:
		r.Run(t)
	case r.executor == nil || t.isBrief():
		r.crews.Add(t) // until the end of the batch
	default:
		r.crews.Launch() // brief tasks must not wait while the user's executor blocks
		r.Enter()
		r.submit(t)
	}
}

// isBrief reports whether t's task belongs to the library and never blocks.
func (t *Timeout) isBrief() bool {
	task, isHook := t.task.(hook.Task)
	return isHook && bool(task.Brief())
}

// submit calls the user's executor. If that panics or ends the goroutine, submit gives up a task that has not begun.
func (r *runner) submit(t *Timeout) {
	var counted atomic.Bool // set by the task when it begins, or by submit when it gives the task up
	returned := false
	defer func() {
		if !returned && counted.CompareAndSwap(false, true) {
			r.Leave()
		}
	}()
	if r.onPanic != nil {
		defer r.handlePanic(t)
	}
	r.executor.Go(func() {
		if counted.CompareAndSwap(false, true) { // not if the executor runs it twice
			defer r.Leave() // deferred: the task may call runtime.Goexit
		}
		r.Run(t)
	})
	returned = true
}

// Run runs a task, on the goroutine of the worker, a crew or the user's executor.
func (r *runner) Run(t *Timeout) {
	if r.onPanic != nil {
		defer r.handlePanic(t)
	}
	t.task.Run(t)
}

// handlePanic is deferred. It gives a panic to the panic handler.
func (r *runner) handlePanic(t *Timeout) {
	if p := recover(); p != nil {
		r.panics.Add(1)
		r.onPanic(t, p)
	}
}
