// Package own has the mark of the library's own tasks: the channels of Timer.After, and the timers of package
// wheeltime. A mark holds for the Timeout that the task was made for, not for another
// on which a user has scheduled the task, as Timer.Sample shows it.
package own

import "time"

// A Task is a task of the library itself. WithMaxPending does not refuse the armings of its Timeout. If Timer.Stop
// cancels one, it calls TimerStopped, with no lock held, in place of returning the Timeout.
type Task interface {
	// Owns reports whether the task was made for timeout, a *hashedwheel.Timeout.
	Owns(m Mark, timeout any) bool
	TimerStopped(Mark)
	// IsBrief reports whether the task runs no user code and never blocks: then no Executor of a user's runs it.
	IsBrief(Mark) bool
}

// TickStart returns the start of the last tick that has begun at a time on the clock of timer, a *hashedwheel.Timer. A
// timeout that is due after it will be handed out at a later tick. The root sets it as it is initialized.
var TickStart func(timer any, now time.Time) time.Time

// Mark is in the methods of a Task, so that no type outside the library is one by chance.
type Mark struct{}
