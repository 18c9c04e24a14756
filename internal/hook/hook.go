// Package hook defines the interfaces of the library's own tasks: the channels of Timer.After, the timers of package
// wheeltime, series, the entries of package keyed, and the idle times of package idle.
package hook

import "time"

// A Task is a task of the library itself. Timeout.Task never returns it, so it runs only for the Timeout that it was
// made for.
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

// An Unlisted is a task whose Timeout is not in Timer.StopAll's result, since its user has none. If Timer.StopAll
// cancels the Timeout, TimerStopped is called in place of Run, once and with no lock held: at once, or if the task
// outlives the Timer, when the time package has counted the rest of its delay. A delay that never ends has no such
// call.
//
// If the task outlives the Timer, now is the time that the Timer's clock would show, and not before the deadline.
type Unlisted interface {
	Task
	Outlives() bool
	TimerStopped(now time.Time)
}

// TickStart returns the start of the last tick that has begun at a time on the clock of timer, a *hashedwheel.Timer. A
// timeout that is due after that time is dispatched at a later tick. The root package sets TickStart in init.
var TickStart func(timer any, now time.Time) time.Time
