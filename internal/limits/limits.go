//go:build !small

// Package limits defines the sizes of portions and crowds. With -tags small they are so small that a test with a few
// dozen timeouts covers every path that otherwise takes a million.
package limits

const (
	// Batch is how many timeouts are dispatched between two holds of the lock: so the lock costs each next to nothing,
	// and a slow task keeps no more timeouts from the collector.
	Batch = 64

	// Portion is how many timeouts are filed in one hold of the lock: about 50 µs if they are scattered in memory.
	Portion = 256

	// Drain is how many timeouts are filed in a pass before due timeouts are dispatched: the bound where time stands
	// still, as in a bubble. Elsewhere worker.fileIntake's half a tick, or two milliseconds, is usually reached first.
	Drain = 100_000

	// Chunk is the length of a chunk of a bucket: 4 KiB with the allocator's header, the most that growth copies under
	// the lock.
	Chunk = 511

	// Crowd is the number of timeouts in a slot of a ring that is thinned before its time: half a millisecond's work in
	// scattered memory.
	Crowd = 4096

	// Counted: one push in Counted is counted, and its producer may have to help. The others save an atomic add.
	Counted = 64

	// Deep is how many timeouts wait in eight stripes, or in all if there are fewer, before producers file them: in the
	// near lane, and in the far lane if the newest has been stopped.
	Deep = 4096

	// Full is how many timeouts wait in the far lane before producers file them. Calls that end after 5 ms must not
	// reach it between two passes, or timeouts are filed that are stopped soon after: with 65,536, two processors make
	// half to two thirds of the calls (bench, Calls), and with 4,096 the calls do not scale with the processors.
	Full = 196608
)
