//go:build !race

package wheeltime_test

const isRace = false
