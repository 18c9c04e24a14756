// Package builtin has the interfaces of the library's own tasks: the channels of Timer.After, the timers of package
// wheeltime, series, the entries of package keyed, and the idle times of package idle.
package builtin

import "time"

// A Task is a task of the library itself. Timeout.Task returns it to nobody, so it runs for the one Timeout that it was
// made for.
type Task interface {
	// Traits returns how the engine treats the task unlike a user's. No type outside the library has such a method by
	// chance, since Traits is a type of this package.
	Traits() Traits
}

// Traits of a task are all false for one that is treated as a user's.
type Traits struct {
	// KeepsPlace: when the Timeout expires, it keeps its place under WithMaxPending, since the task arms it again. Such
	// an arming is not refused for want of a place. Whoever ends the task calls End.
	KeepsPlace bool
	// Brief: the task runs no user code and never blocks. No Executor of a user's runs it.
	Brief bool
}

// A Guest is a task of whose Timeout the user knows nothing. WithMaxPending does not refuse its armings. If Timer.Stop
// cancels it, it calls TimerStopped, with no lock held, in place of returning the Timeout.
type Guest interface {
	Task
	TimerStopped()
}

// End ends the arming of timeout, a *hashedwheel.Timeout, also an expired one, and gives its place back. It reports
// whether this call did. The root sets it as it is initialized.
var End func(timeout any) bool

// TickStart returns the start of the last tick that has begun at a time on the clock of timer, a *hashedwheel.Timer. A
// timeout that is due after it will be handed out at a later tick. The root sets it as it is initialized.
var TickStart func(timer any, now time.Time) time.Time
