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
	level := 0
	for ; ; level++ { // up, as long as the rest of a word is empty
		if level == len(b.levels) || i/64 >= len(b.levels[level]) {
			return -1
		}
		if rest := b.levels[level][i/64] >> (i % 64); rest != 0 {
			i += bits.TrailingZeros64(rest)
			break
		}
		i = i/64 + 1
	}
	for level--; level >= 0; level-- { // down to the first member below bit i
		i = i*64 + bits.TrailingZeros64(b.levels[level][i])
	}
	return i
}
