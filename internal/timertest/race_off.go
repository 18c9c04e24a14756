//go:build !race

package timertest

// Race is true with the race detector: what a test measures is then the detector.
const Race = false
