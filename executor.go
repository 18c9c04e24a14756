package hashedwheel

import (
	"sync"
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel/internal/crew"
)

// An Executor runs tasks. The worker calls Go, without a lock held, and waits for it before the
// next task: tasks that wait for others, or for After, must not fill a pool whose Go blocks. Go
// runs f, or has another goroutine run it, once. If that never happens the task is lost, and
// Shutdown waits for it in vain. If Go panics or ends its goroutine, a task that has not begun
// by then is no longer waited for; the panic goes to the panic handler, or crashes the program.
//
// *sync.WaitGroup fits (its Wait comes after Timer.Stop), and so do pools with such a
// method; for others there is ExecutorFunc.
type Executor interface {
	Go(f func())
}

// ExecutorFunc is a function used as an Executor.
type ExecutorFunc func(f func())

// Go calls e(f).
func (e ExecutorFunc) Go(f func()) { e(f) }

// Inline runs tasks on the worker goroutine, one after another: the cheapest way, for tasks
// that take microseconds. A slow task delays all others, those of later ticks too: two hundred
// that take 5ms each make the last a second late. Tasks that may block need the default.
type Inline struct{}

// Go calls f.
func (Inline) Go(f func()) { f() }

// runner is the way out: it gives each expired timeout's task to the executor, and
// counts what runs, for Shutdown to wait for.
type runner struct {
	executor Executor // nil: the crews
	isInline bool
	onPanic  func(t *Timeout, recovered any)
	crews    crew.Crews[*Timeout] // for tasks that have no other executor; the worker's
	panics   atomic.Uint64
	count    atomic.Uint64 // of tasks handed out

	// running counts goroutines, the worker's, Advance's and crews', tasks with the
	// executor, and one until Timer.Stop. At 0 nothing runs and nothing can start.
	running atomic.Int64
	idle    sync.Once
	done    chan struct{} // closed when running has come to 0
}

// ownTask is a task of the library's own: it does not depend on the user's executor, and
// Timer.Stop does not return its Timeout.
type ownTask interface{ own() }

func (t *Timeout) isOwn() bool {
	_, is := t.task.(ownTask)
	return is
}

func (r *runner) init(o *options) {
	r.executor, r.onPanic = o.executor, o.onPanic
	_, isValue := o.executor.(Inline)
	_, isPointer := o.executor.(*Inline)
	r.isInline = isValue || isPointer
	r.done = make(chan struct{})
	r.crews.Init(r)
	r.Enter()
}

func (r *runner) Enter() { r.running.Add(1) }

// Leave is called when what has entered ends. After Timer.Stop running can come to
// 0 again: a producer enters, and finds that there is no worker to start.
func (r *runner) Leave() {
	if r.running.Add(-1) == 0 {
		r.idle.Do(func() { close(r.done) })
	}
}

func (r *runner) execute(t *Timeout) {
	r.count.Add(1)
	switch {
	case r.isInline:
		r.Run(t)
	case r.executor == nil || t.isOwn():
		r.crews.Add(t) // until the end of the batch
	default:
		r.Enter()
		r.submit(t)
	}
}

// submit calls the user's executor. Should that panic, or end the goroutine, the
// task is given up if it has not begun: it may never do so. Leave is called once.
func (r *runner) submit(t *Timeout) {
	var counted atomic.Bool // by the task that has begun, or by whoever gave it up
	returned := false
	if r.onPanic != nil {
		defer r.catch(t)
	}
	defer func() {
		if !returned && counted.CompareAndSwap(false, true) {
			r.Leave()
		}
	}()
	r.executor.Go(func() {
		if counted.CompareAndSwap(false, true) { // not if the executor runs it twice
			defer r.Leave() // deferred: the task may call runtime.Goexit
		}
		r.Run(t)
	})
	returned = true
}

func (r *runner) Run(t *Timeout) {
	if r.onPanic != nil {
		defer r.catch(t)
	}
	t.task.Run(t)
}

// catch is deferred where there is a panic handler, and gives it the task's panic, or the executor's.
func (r *runner) catch(t *Timeout) {
	if p := recover(); p != nil {
		r.panics.Add(1)
		r.onPanic(t, p)
	}
}
