package hashedwheel

import "math/bits"

// bitmap is a set of small integers that finds the next member fast, however large and
// empty it is: level 0 has a bit for each member, a higher level one for each word of the
// level below that is not zero.
type bitmap struct {
	levels [][]uint64
}

func newBitmap(n int) bitmap {
	var b bitmap
	for {
		n = (n + 63) / 64
		b.levels = append(b.levels, make([]uint64, n))
		if n == 1 {
			return b
		}
	}
}

func (b *bitmap) set(i int) {
	for _, words := range b.levels {
		words[i/64] |= 1 << (i % 64)
		i /= 64
	}
}

func (b *bitmap) clear(i int) {
	for _, words := range b.levels {
		words[i/64] &^= 1 << (i % 64)
		if words[i/64] != 0 {
			return
		}
		i /= 64
	}
}

// next returns the smallest member that is at least i, or -1.
func (b *bitmap) next(i int) int {
	for level, words := range b.levels {
		if i/64 >= len(words) {
			return -1
		}
		if rest := words[i/64] >> (i % 64); rest != 0 {
			return b.first(level, i+bits.TrailingZeros64(rest))
		}
		i = i/64 + 1 // the rest of this word is empty: go on with the next one
	}
	return -1
}

// first returns the smallest member below bit i of a level.
func (b *bitmap) first(level, i int) int {
	for level--; level >= 0; level-- {
		i = i*64 + bits.TrailingZeros64(b.levels[level][i])
	}
	return i
}
