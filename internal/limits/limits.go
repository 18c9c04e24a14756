//go:build !small

// Package limits has the sizes of portions and crowds. With -tags small they are so small that a
// test with a few dozen timeouts meets every path that a million meet otherwise.
package limits

const (
	Batch   = 64      // timeouts handed out between two holds of the lock: the lock costs each next to nothing, and a slow task keeps no more from the collector
	Portion = 256     // timeouts filed in one hold, in about 50 µs if they are scattered in memory
	Drain   = 100_000 // timeouts filed in a pass before due ones are handed out
	Crowd   = 4096    // timeouts in a slot that is opened before its time: half a millisecond's work in scattered memory
	Unmoved = 1024    // timeouts in a row that were found where they belong, before the rest of a crowd is left alone

	SampledLog2 = 7       // one push in 128 is counted, or more of them if fewer may wait
	Ahead       = 4096    // pushes that wait in all stripes before producers help, at most: 512 in each of eight
	Most        = 1 << 15 // pushes that wait in all stripes before producers wait, at most: 2 MiB; half as many made reusing timeouts a tenth slower (compare -load reuse)
)
