package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const source = `package p

func (b *both[K, V]) f(x int) (y int) {
	if x < 1 && b.ready {
		return 2
	}
	x -= 3 // less
	x++
	y = b.
		g(x - 4)
	return y
}

func (b *both[K, V]) g(x int) int {
	g.check()
	b.check()
	if x == 5 {
		return 6
	}
	return 6
}

func (b *both[K, V]) String() string { return "b" + "c" }
`

func TestEachChangeOfAFile(t *testing.T) {
	var got []string
	for _, c := range changesOf("p.go", source) {
		k := strings.Split(c.key, "\t")
		got = append(got, fmt.Sprintf("%d %s %s: %s => %s (%s)", c.line, k[1], k[2], k[3], k[4], k[5]))
		assert.Equal(t, k[4], lineOf(c.text, c.line))
		assert.Equal(t, remove(source, c.line), remove(c.text, c.line), "no other line is changed")
	}
	assert.Equal(t, []string{
		"4 both.f if: if x < 1 && b.ready { => if !(x < 1 && b.ready) { (1)",
		"4 both.f &&: if x < 1 && b.ready { => if x < 1 || b.ready { (1)",
		"4 both.f <: if x < 1 && b.ready { => if x <= 1 && b.ready { (1)",
		"5 both.f left out: return 2 =>  (1)",
		"7 both.f -=: x -= 3 // less => x += 3 // less (1)",
		"7 both.f left out: x -= 3 // less => // less (1)",
		"8 both.f ++: x++ => x-- (1)",
		"8 both.f left out: x++ =>  (1)",
		"10 both.f -: g(x - 4) => g(x + 4) (1)",
		"11 both.f left out: return y =>  (1)",
		"17 both.g ==: if x == 5 { => if x != 5 { (1)",
		"18 both.g left out: return 6 =>  (1)",
		"20 both.g left out: return 6 =>  (2)",
	}, got)
}

func remove(text string, line int) []string {
	return slices.Delete(strings.Split(text, "\n"), line-1, line)
}
