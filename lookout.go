package hashedwheel

import "sync/atomic"

// lookout is how callers and the worker find each other. A producer pushes, then looks at status; park publishes
// status, then looks at the queue.
type lookout struct {
	status atomic.Int32

	// The tick at which the worker means to look at the wheel next, noTick while it is absent; guarded.turn reads it.
	// park, awaitNextTick and passOnce store it, and expectNextTick of whoever wakes or starts the worker: it may have
	// to wait for a processor, and Lag and Overdue show that. While passes follow each other it stays at the first's.
	expected atomic.Int64
}

// The values of status. An awake worker looks at the queue before it parks. The producer that sets
// one of the others back to awake sends a token, or starts a goroutine.
const (
	awake  = iota
	asleep // until the next timeout is due
	absent // no timeout is pending, or only those that are never due
)
