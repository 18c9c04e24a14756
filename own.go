package hashedwheel

import (
	"time"

	"github.com/hashedwheel/hashedwheel/internal/own"
)

// The engine knows no task by its type: what is special about a task of the library it says by package own's interfaces.

func init() {
	own.TickStart = func(timer any, now time.Time) time.Time { return timer.(*Timer).time.tickStart(now) }
}

// ownTask returns the task of a timeout that is the library's own.
func (t *Timeout) ownTask() (task own.Task, isOwn bool) {
	task, isOwn = t.task.(own.Task)
	return task, isOwn && task.Owns(own.Mark{}, t)
}

// isBrief reports whether t's task is the library's own and never blocks.
func (t *Timeout) isBrief() bool {
	task, isOwn := t.ownTask()
	return isOwn && task.IsBrief(own.Mark{})
}
