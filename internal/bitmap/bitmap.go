// Package bitmap has a set of small integers that finds the next member fast, however large and
// empty it is.
package bitmap

import "math/bits"

// A Bitmap is a set of the integers from 0 up to the size given to New. Its words are in levels:
// level 0 has a bit for each member, a higher level one for each word of the level below that is
// not zero. The last level is one word.
type Bitmap [][]uint64

// New returns an empty Bitmap for integers below n.
func New(n int) Bitmap {
	var b Bitmap
	for {
		n = (n + 63) / 64
		b = append(b, make([]uint64, n))
		if n == 1 {
			return b
		}
	}
}

// Set makes i a member.
func (b Bitmap) Set(i int) {
	for _, words := range b {
		words[i/64] |= 1 << (i % 64)
		i /= 64
	}
}

// Clear makes i no member.
func (b Bitmap) Clear(i int) {
	for _, words := range b {
		words[i/64] &^= 1 << (i % 64)
		if words[i/64] != 0 {
			return
		}
		i /= 64
	}
}

// Next returns the smallest member that is at least i, or -1.
func (b Bitmap) Next(i int) int {
	level := 0
	for ; ; level++ { // up, as long as the rest of a word is empty
		if level == len(b) || i/64 >= len(b[level]) {
			return -1
		}
		if rest := b[level][i/64] >> (i % 64); rest != 0 {
			i += bits.TrailingZeros64(rest)
			break
		}
		i = i/64 + 1
	}
	for level--; level >= 0; level-- { // down to the first member below bit i
		i = i*64 + bits.TrailingZeros64(b[level][i])
	}
	return i
}

// NextRound returns the first member from i on, going round to 0 behind the last, or -1.
func (b Bitmap) NextRound(i int) int {
	if j := b.Next(i); j >= 0 {
		return j
	}
	return b.Next(0)
}

// Check calls broken, like fmt.Sprintf, if a level does not show which words of the level below are
// zero.
func (b Bitmap) Check(broken func(format string, args ...any)) {
	for k := 1; k < len(b); k++ {
		for i, below := range b[k-1] {
			if upper := b[k][i/64]>>(i%64)&1 != 0; upper != (below != 0) {
				broken("bitmap level %d has bit %d = %t, the word is %#x", k, i, upper, below)
			}
		}
	}
}
