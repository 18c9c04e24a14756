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
	reserved atomic.Int64 // reserve and exceed count up, the releases down
}

func (r *room) reserve() bool {
	for r.max != 0 {
		n := r.reserved.Load()
		if n >= r.max {
			return false
		}
		if r.reserved.CompareAndSwap(n, n+1) {
			break
		}
	}
	return true
}

// exceed takes a place beyond the bound, if t's task is a guest.
func (r *room) exceed(t *Timeout) bool {
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
