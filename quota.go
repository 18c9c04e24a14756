package hashedwheel

import "sync/atomic"

// quota is WithMaxPending's bound, a semaphore: an arming takes a permit, and its outcome returns the permit. Only
// calls that can return ErrFull are refused; all others take a permit even beyond the bound.
type quota struct {
	max   int64        // 0: no bound, and nothing is counted
	taken atomic.Int64 // acquire counts up, release down
}

// mayRefuse is whether the quota may refuse an arming.
type mayRefuse bool

const (
	bounded   mayRefuse = true
	unbounded mayRefuse = false
)

// acquire takes a permit, and reports false if the arming is refused.
func (q *quota) acquire(bound mayRefuse) bool { return q.max == 0 || q.count(bound) }

// count is the slow part of acquire.
func (q *quota) count(bound mayRefuse) bool {
	if bound == unbounded {
		q.taken.Add(1)
		return true
	}
	for n := q.taken.Load(); n < q.max; n = q.taken.Load() {
		if q.taken.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// release returns n permits.
func (q *quota) release(n int) {
	if q.max != 0 {
		q.taken.Add(-int64(n))
	}
}
