package bitmap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sizes are on both sides of the capacity of one word, and of one level.
var sizes = []int{1, 2, 63, 64, 65, 4096, 4097, 1 << 24}

func of(n int, members ...int) Bitmap {
	b := New(n)
	for _, i := range members {
		b.Set(i)
	}
	return b
}

// membersOf walks b with next.
func membersOf(b Bitmap) []int {
	all := []int{}
	for i := b.Next(0); i >= 0; i = b.Next(i + 1) {
		all = append(all, i)
	}
	return all
}

func TestHasAsManyLevelsAsItTakesToEndInOneWord(t *testing.T) {
	for n, levels := range map[int]int{1: 1, 64: 1, 65: 2, 4096: 2, 4097: 3, 1 << 18: 3, 1 << 24: 4} {
		assert.Len(t, New(n), levels, "for %d", n)
		assert.Len(t, New(n)[levels-1], 1, "for %d", n)
	}
}

func TestNextFindsTheFirstMemberFromThereOn(t *testing.T) {
	for _, row := range []struct {
		says    string
		size    int
		members []int
		from    int
		want    int
	}{
		{"an empty one has none", 4097, nil, 0, -1},
		{"the only number there can be", 1, []int{0}, 0, 0},
		{"a member is its own next", 64, []int{5}, 5, 5},
		{"not one before", 64, []int{5}, 6, -1},
		{"the nearest of several", 64, []int{3, 9, 40}, 4, 9},
		{"the last bit of a word", 64, []int{63}, 0, 63},
		{"from the last bit of a word", 128, []int{63}, 63, 63},
		{"across words, from the last bit of the first", 128, []int{0, 64}, 63, 64},
		{"in the next word, at a lower bit than that asked from", 128, []int{64}, 60, 64},
		{"in this word behind, not in one ahead", 192, []int{1, 65}, 2, 65},
		{"across a word of level 1", 4097, []int{4096}, 1, 4096},
		{"across a word of level 1, from its last bit", 8192, []int{0, 4096}, 4095, 4096},
		{"an earlier bit of the same level 1 word does not count", 4097, []int{0, 64}, 65, -1},
		{"across the largest", 1 << 24, []int{0, 1<<24 - 1}, 1, 1<<24 - 1},
		{"in the middle of the largest", 1 << 24, []int{1 << 23, 1<<24 - 1}, 1<<12 + 1, 1 << 23},
		{"from one past the end, on a word's edge", 64, []int{63}, 64, -1},
		{"from one past the end, inside a word", 65, []int{64}, 65, -1},
		{"from one past the end of the largest", 1 << 24, []int{1<<24 - 1}, 1 << 24, -1},
	} {
		t.Run(row.says, func(t *testing.T) {
			assert.Equal(t, row.want, of(row.size, row.members...).Next(row.from))
		})
	}
}

func TestHoldsItsFirstAndLastNumber(t *testing.T) {
	for _, n := range sizes {
		b := of(n, 0, n-1)
		assert.Equal(t, slices.Compact([]int{0, n - 1}), membersOf(b), "size %d", n)
		assert.True(t, b.has(0) && b.has(n-1), "size %d", n)
	}
}

func TestClearKeepsAnUpperBitWhileItsWordHasMembers(t *testing.T) {
	b := of(4097, 64, 65)
	b.Clear(64)
	assert.Equal(t, 65, b.Next(0))
}

func TestSetAndClearMayBeRepeated(t *testing.T) {
	b := of(4097, 70, 70, 4096)
	b.Clear(70)
	b.Clear(70)
	b.Clear(71) // never was a member
	assert.Equal(t, []int{4096}, membersOf(b))
	assert.Empty(t, faultsOf(b))
}

func TestCheckFindsAnUpperBitThatIsWrong(t *testing.T) {
	b := of(4097, 5, 4096)
	b[1][0] = 0
	assert.Equal(t, []string{
		"bitmap level 1 has bit 0 = false, the word is 0x20",
		"bitmap level 2 has bit 0 = true, the word is 0x0",
	}, faultsOf(b))
	b = of(4097, 5, 4096)
	b[1][0] |= 1 << 7
	assert.Equal(t, []string{"bitmap level 1 has bit 7 = true, the word is 0x0"}, faultsOf(b))
}

// faultsOf returns what Check finds.
func faultsOf(b Bitmap) (faults []string) {
	b.Check(func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) })
	return faults
}

func TestIsAllZeroOnceAllIsCleared(t *testing.T) {
	for _, n := range sizes {
		b := New(n)
		members := rand.New(rand.NewPCG(1, uint64(n))).Perm(min(n, 5000))
		for _, i := range members {
			b.Set(n - 1 - i)
		}
		for _, i := range members {
			b.Clear(n - 1 - i)
		}
		for k, words := range b {
			isSet := func(w uint64) bool { return w != 0 }
			assert.False(t, slices.ContainsFunc(words, isSet), "size %d, level %d", n, k)
		}
	}
}

func TestAgreesWithASortedSlice(t *testing.T) {
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(2, uint64(n)))
			b, model := New(n), []int{}
			for range 5000 {
				i := near(rnd, n)
				at, member := slices.BinarySearch(model, i)
				switch {
				case rnd.IntN(2) == 0 && !member:
					b.Set(i)
					model = slices.Insert(model, at, i)
				case member:
					b.Clear(i)
					model = slices.Delete(model, at, at+1)
				}
				from, want := near(rnd, n+1), -1
				if at, _ := slices.BinarySearch(model, from); at < len(model) {
					want = model[at]
				}
				require.Equal(t, want, b.Next(from), "from %d, members %v", from, model)
				_, member = slices.BinarySearch(model, from)
				require.Equal(t, member, from < n && b.has(from))
			}
			require.Empty(t, faultsOf(b))
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

func (b Bitmap) has(i int) bool { return b[0][i/64]>>(i%64)&1 != 0 }
