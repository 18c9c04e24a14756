//go:build !small

// Package limits has the sizes of portions and crowds. With -tags small they are so small that a
// test with a few dozen timeouts meets every path that a million meet otherwise.
package limits

const (
	// Batch is how many timeouts are handed out between two holds of the lock: the lock costs each next to nothing, and
	// a slow task keeps no more from the collector.
	Batch = 64

	// Portion is how many timeouts are filed in one hold, in about 50 µs if they are scattered in memory.
	Portion = 256

	// Drain is how many timeouts are filed in a pass before due timeouts are handed out: the bound where time stands
	// still, as in a bubble. Elsewhere worker.fileIntake's half a tick, or two milliseconds, is mostly over before.
	Drain = 100_000

	// Chunk is the length of a chunk of a bucket: 4 KiB with the allocator's header, so that no growth copies more
	// under the lock.
	Chunk = 511

	// Crowd is the number of timeouts in a slot that is opened before its time: half a millisecond's work in scattered
	// memory.
	Crowd = 4096

	// Counted is one push in how many that is counted, and may have to help: the others save an atomic add.
	Counted = 64

	// Deep is how many pushes wait in eight stripes, or in all if they are fewer, before producers drop stopped
	// timeouts; and, if these are due soon, before producers file them.
	Deep = 4096

	// Full is how many wait before producers file them, if they are due far away. With 4096 calls that end after 5 ms
	// do not grow with the processors: sixteen make 6.6 million a second, not 31 (bench, Calls).
	Full = 65536

	// Backlog is how many times Full may wait while the worker is on time. With 1, whose limit eight million calls a
	// second reach between two passes, timeouts are filed that the next call stops (bench, Calls: FIGURES).
	Backlog = 4
)
