// Package wheels holds the designs of docs/timing-wheels.md as small reference implementations.
package wheels

import "math"

// A timeout is due at a tick.
type timeout struct {
	tick       int64
	rounds     int64    // turns of the wheel to go, in rounds
	index      int      // place in the heap
	next, prev *timeout // in a list
}

// A structure keeps timeouts by the tick at which they are due, and is never early. Ticks of timeouts placed are later
// than the last one passed to expire.
type structure interface {
	place(to *timeout)
	remove(to *timeout)
	// expire takes out the timeouts that are due at any tick after current, up to now.
	expire(current, now int64, due func(*timeout))
	// next is the tick at which expire must be called next.
	next(current int64) int64
	// visited is how often it has looked at a timeout that it holds.
	visited() int
}

const never = math.MaxInt64
