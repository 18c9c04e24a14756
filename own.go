package hashedwheel

import (
	"time"

	"github.com/hashedwheel/hashedwheel/internal/own"
)

// The engine knows no task by its type: the library's own tasks are special by the interfaces of package own.

func init() {
	own.End = func(timeout any) bool { return timeout.(*Timeout).end() }
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

// keepsPlace reports whether t keeps its place under WithMaxPending when it expires. It is outlined, so that isKept and
// expire fit the inliner: without a bound they end before the call.
//
//go:noinline
func (t *Timeout) keepsPlace() bool {
	task, isKeeper := t.task.(own.Keeper)
	return isKeeper && task.KeepsPlace(own.Mark{}, t)
}

// end stops a timeout that keeps its place, or gives the place back if it has expired. It reports whether it did.
func (t *Timeout) end() bool {
	if t.Stop() {
		return true
	}
	w := t.load()
	ended := w.state() == Expired && t.finish(w)
	if ended {
		t.timer.room.release(1)
	}
	return ended
}
