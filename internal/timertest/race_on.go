//go:build race

package timertest

const Race = true
