package hashedwheel

import "sync/atomic"

// room bounds how many timeouts are pending. reserve makes room for one more; whoever
// ends the arming releases it, exactly once.
type room struct {
	max      int64 // 0: no bound, and nothing is counted
	reserved atomic.Int64
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

// release gives back what n armings have reserved; with -1 it reserves whatever the bound.
func (r *room) release(n int) {
	if r.max != 0 {
		r.reserved.Add(-int64(n))
	}
}
