//go:build small

// Package limits defines the sizes of portions and crowds. With -tags small they are so small that a test with a few
// dozen timeouts covers every path that otherwise takes a million.
package limits

const (
	Batch   = 3
	Portion = 4
	Drain   = 10
	Chunk   = 15
	Crowd   = 8

	Counted = 2
	Deep    = 64
	Full    = 256
)
