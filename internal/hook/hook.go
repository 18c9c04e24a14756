// Package hook defines the interfaces of the library's own tasks: the channels of Timer.After, the timers of package
// wheeltime, series, the entries of package keyed, and the idle times of package idle.
package hook

import "time"

// A Task is a task of the library itself. Timeout.Task never returns it, so it runs only for the Timeout that it was
// made for, and Timer.StopAll does not return that Timeout.
type Task interface {
	// Brief reports whether the task runs no user code and never blocks: then no user's Executor runs it.
	Brief() Brief
}

// Brief is the result of Task's method. No type outside the library has such a method by chance.
type Brief bool

// A WorkerTask is a task that the worker may run itself, because that takes less time than dispatching it.
type WorkerTask interface {
	Task
	// TryRun runs the task. If the task runs user code, or would have to wait for a lock, TryRun does nothing and
	// returns false: then the task is dispatched.
	TryRun() bool
}

// A Survivor is a task that outlives its Timer, since goroutines may wait for its channel.
type Survivor interface {
	Task
	// Outlive is called in place of Run, once and with no lock held, if Timer.StopAll has canceled the Timeout. The
	// task then waits for the rest of the delay in the time package, or does not wait if rest is not positive. A delay
	// that never ends has no such call.
	Outlive(rest time.Duration)
}

// HasPassed reports whether the deadline of a *hashedwheel.Timeout that has been armed has passed. That takes one
// reading of the monotonic clock, where Timeout.Deadline and Timer.Now read both clocks each. The root package sets
// HasPassed in init.
var HasPassed func(timeout any) bool
