package bitmap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// sizes are on both sides of the capacity of a word, the default of a wheel, and its largest.
var sizes = []int{1, 2, 63, 64, 65, 512, 1 << 16}

// membersOf walks b with next.
func membersOf(b Bitmap) []int {
	all := []int{}
	for i := b.Next(0); i >= 0; i = b.Next(i + 1) {
		all = append(all, i)
	}
	return all
}

func TestAgreesWithASortedSlice(t *testing.T) {
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(2, uint64(n)))
			b, model := New(n), []int{}
			for range 5000 {
				i := near(rnd, n)
				at, member := slices.BinarySearch(model, i)
				if rnd.IntN(2) == 0 {
					b.Set(i)
					if !member {
						model = slices.Insert(model, at, i)
					}
				} else {
					b.Clear(i)
					if member {
						model = slices.Delete(model, at, at+1)
					}
				}
				from, want := near(rnd, n+1), -1
				if at, _ := slices.BinarySearch(model, from); at < len(model) {
					want = model[at]
				}
				require.Equal(t, want, b.Next(from), "from %d, members %v", from, model)
				_, member = slices.BinarySearch(model, from)
				require.Equal(t, member, from < n && b.has(from))
			}
			require.Equal(t, model, membersOf(b))
		})
	}
}

// near returns a number below n, mostly one near a word's or the bitmap's edge.
func near(rnd *rand.Rand, n int) int {
	switch i := rnd.IntN(n); rnd.IntN(4) {
	case 0:
		return i
	case 1:
		return min(i&^63, n-1)
	case 2:
		return min(i|63, n-1)
	default:
		return n - 1 - rnd.IntN(min(n, 200))
	}
}

func (b Bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
