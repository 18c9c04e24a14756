// Package own has the marks of the library's own tasks: the channels of Timer.After, the timers of package wheeltime,
// series, and the idle times of package idle. A mark holds for the Timeout that the task was made for, not for another
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

// A Keeper is a task whose Timeout keeps its place under WithMaxPending when it expires, since the task arms it again.
// Such an arming is not refused for want of a place. Whoever ends the task calls End.
type Keeper interface {
	// KeepsPlace reports whether the task was made for timeout, a *hashedwheel.Timeout.
	KeepsPlace(m Mark, timeout any) bool
}

// End ends the arming of timeout, a *hashedwheel.Timeout, also an expired one, and gives its place back. It reports
// whether this call did. The root sets it as it is initialized.
var End func(timeout any) bool

// TickStart returns the start of the last tick that has begun at a time on the clock of timer, a *hashedwheel.Timer. A
// timeout that is due after it will be handed out at a later tick. The root sets it as it is initialized.
var TickStart func(timer any, now time.Time) time.Time

// Mark is in the methods of Task and Keeper, so that no type outside the library is one by chance.
type Mark struct{}
