package hashedwheel

import (
	"time"

	"github.com/hashedwheel/hashedwheel/internal/builtin"
)

// The engine knows no task by its type: the library's own tasks are special by the interfaces of package builtin.

func init() {
	builtin.End = func(timeout any) bool { return timeout.(*Timeout).end() }
	builtin.TickStart = func(timer any, now time.Time) time.Time { return timer.(*Timer).time.tickStart(now) }
}

// isBrief reports whether t's task is the library's own and never blocks.
func (t *Timeout) isBrief() bool {
	task, isBuiltin := t.task.(builtin.Task)
	return isBuiltin && task.Traits().Brief
}

// keepsPlace reports whether t keeps its place under WithMaxPending when it expires. It is outlined, so that isKept and
// expire fit the inliner: without a bound they end before the call.
//
//go:noinline
func (t *Timeout) keepsPlace() bool {
	task, isBuiltin := t.task.(builtin.Task)
	return isBuiltin && task.Traits().KeepsPlace
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
