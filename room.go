package hashedwheel

import (
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel/internal/builtin"
)

// room bounds how many timeouts are pending: an arming takes a place, and its end gives it back. If the task has the
// trait KeepsPlace, the timeout keeps its place when it expires, until it is armed again and ends, or Timeout.end gives
// the place back.
type room struct {
	max      int64        // 0: no bound, and nothing is counted
	reserved atomic.Int64 // admit counts up, the releases down
}

// Packages keyed and idle end timeouts that keep their places.
func init() {
	builtin.End = func(timeout any) bool { return timeout.(*Timeout).end() }
}

// admit takes a place for an arming of t, and reports whether there is one.
func (r *room) admit(t *Timeout) bool { return r.max == 0 || r.admitBounded(t) }

// admitBounded is the slow part of admit. It takes a place beyond the bound if t's task is the library's own.
func (r *room) admitBounded(t *Timeout) bool {
	for n := r.reserved.Load(); n < r.max; n = r.reserved.Load() {
		if r.reserved.CompareAndSwap(n, n+1) {
			return true
		}
	}
	_, isGuest := t.task.(builtin.Guest)
	if isGuest {
		r.reserved.Add(1)
	}
	return isGuest
}

// isKept reports whether t, whose word is w, has kept its place since it expired.
func (r *room) isKept(t *Timeout, w word) bool {
	return r.max != 0 && w.state() == Expired && t.keepsPlace()
}

// releaseExpired gives back the place of t, which has just expired, unless t keeps it.
func (r *room) releaseExpired(t *Timeout) {
	if r.max != 0 && !t.keepsPlace() {
		r.reserved.Add(-1)
	}
}

// release gives back n places.
func (r *room) release(n int) {
	if r.max != 0 {
		r.reserved.Add(-int64(n))
	}
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
