//go:build !race

package channels_test

const underRace = false
