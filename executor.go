package hashedwheel

import "sync/atomic"

// An Executor runs tasks. Go is called by the worker, without a lock held, and
// should return soon: the next task waits for it, so tasks that wait for others,
// or for After, must not fill a pool whose Go blocks. Go runs f itself or has
// another goroutine run it, once. If it never does, that task is lost, and
// Shutdown waits for it in vain. If Go panics or ends its goroutine, a task that has
// not begun by then is no longer waited for; the panic goes to the panic handler,
// or crashes the program.
//
// *sync.WaitGroup is an Executor as it is (its Wait comes after Timer.Stop), and so
// are pools with such a method; for others there is ExecutorFunc.
type Executor interface {
	Go(f func())
}

// ExecutorFunc is a function used as an Executor.
type ExecutorFunc func(f func())

// Go calls e(f).
func (e ExecutorFunc) Go(f func()) { e(f) }

// Inline runs tasks on the worker goroutine, by far the cheapest way. A task that
// has not returned after one tick, because it sleeps, waits or computes, hands the
// wheel on: another goroutine goes on with what is due, and the task finishes
// where it is. So one slow task holds the others up for two ticks at most, and of
// many slow ones all but a few run in goroutines of their own: ten thousand that
// are due in one tick have all begun nine ticks later. That tick is measured in
// real time, whatever the clock.
//
// Tasks run one after another only as long as none outlasts a tick. Whoever needs
// them in strict order says
//
//	ExecutorFunc(func(f func()) { f() })
//
// and bears the delay. On a ManualClock nothing is handed on: see Advance.
type Inline struct{}

// Go calls f.
func (Inline) Go(f func()) { f() }

// executorMode tells the executors apart that need no closure for each task.
type executorMode uint8

const (
	custom executorMode = iota
	inline
	crews // the default, which is no Executor: see crew.go
)

func modeOf(e Executor) executorMode {
	switch e.(type) {
	case Inline, *Inline:
		return inline
	case nil:
		return crews
	}
	return custom
}

// execute gives the task of an expired timeout to the executor. The channels of
// After do not depend on that: the worker closes them.
func (t *Timer) execute(to *Timeout, b *batch) {
	if t.mode == inline && b.aside == 0 {
		t.run(to)
		return
	}
	if shared, ok := to.task.(*sharedTick); ok {
		shared.Run(to)
		return
	}
	switch t.mode {
	case custom:
		t.running.Add(1)
		t.submit(to)
	case inline:
		b.aside--
		t.running.Add(1)
		go t.runAndLeave(to)
	case crews:
		b.expired = append(b.expired, to)
		if t.mayStep { // else at the end of the batch: before the next claim the user's clock is asked
			t.launch(b)
		}
	}
}

// submit calls the user's executor. Should that panic, or end the goroutine, the
// task is given up if it has not begun: it may never do so. leave is called once.
func (t *Timer) submit(to *Timeout) {
	var counted atomic.Bool // by the task that has begun, or by who gave it up
	returned := false
	defer func() {
		if returned {
			return
		}
		if counted.CompareAndSwap(false, true) {
			t.leave()
		}
		if t.onPanic == nil {
			return
		}
		if r := recover(); r != nil {
			t.panicked(to, r)
		}
	}()
	t.executor.Go(func() {
		if counted.CompareAndSwap(false, true) { // not if the executor runs it twice
			defer t.leave() // deferred: the task may call runtime.Goexit
		}
		t.run(to)
	})
	returned = true
}

func (t *Timer) runAndLeave(to *Timeout) {
	defer t.leave() // deferred: the task may call runtime.Goexit
	t.run(to)
}

func (t *Timer) run(to *Timeout) {
	if t.onPanic != nil {
		defer func() {
			if r := recover(); r != nil {
				t.panicked(to, r)
			}
		}()
	}
	to.task.Run(to)
}

func (t *Timer) panicked(to *Timeout, recovered any) {
	t.panics.Add(1)
	t.onPanic(to, recovered)
}
