package hashedwheel

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newBuckets(slots int) *buckets {
	b := new(buckets)
	b.init(slots, new(spares))
	return b
}

// timeoutsIn returns the timeouts in slot i, and panics if its chunks are not sound.
func (b *buckets) timeoutsIn(i int) (all []*Timeout) {
	for index := range b.check(i) {
		all = append(all, *b.entry(i, index))
	}
	return all
}

func newTimeouts(n int) []*Timeout {
	all := make([]*Timeout, n)
	for i := range all {
		all[i] = new(Timeout)
	}
	return all
}

func TestSlotsAgreeWithSlices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	free, b, models := newTimeouts(4*chunkLen), newBuckets(3), make([][]*Timeout, 3)
	for range 2000 {
		i := rnd.IntN(len(models))
		model := &models[i]
		for range rnd.IntN(chunkLen) {
			if rnd.IntN(2) == 0 && len(*model) > 0 {
				last := len(*model) - 1
				b.drop(i)
				free = append(free, (*model)[last])
				*model = (*model)[:last]
			} else if len(free) > 0 {
				to := free[len(free)-1]
				free = free[:len(free)-1]
				b.add(i, to)
				*model = append(*model, to)
			}
		}
		require.True(t, slices.Equal(*model, b.timeoutsIn(i)))
	}
	for i, model := range models {
		for range model {
			b.drop(i)
		}
	}
	assert.Equal(t, make([]slot, len(models)), b.slots, "an empty slot holds no memory")
}

// Few timeouts take few bytes, and the chunks of an emptied slot serve the next.
func TestSlotGrowsWithItsTimeouts(t *testing.T) {
	all, b := newTimeouts(chunkLen), newBuckets(2)
	for n := range all {
		b.add(0, all[n])
		require.LessOrEqual(t, cap(b.slots[0].last), max(2, 2*n))
	}
	for range all {
		b.drop(0)
	}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for _, to := range all {
			b.add(1, to)
		}
		for range all {
			b.drop(1)
		}
	}))
}

func TestSparesKeepNoTimeoutsAndABoundedNumberOfChunks(t *testing.T) {
	b := newBuckets(1)
	const n = 12 * chunkLen
	for _, to := range newTimeouts(n) {
		b.add(0, to)
	}
	for range n {
		b.drop(0)
	}
	assert.Len(t, *b.spares.of(chunkLen), maxSpares(chunkLen))
	for _, some := range b.spares {
		require.LessOrEqual(t, len(some), maxSpares(2))
		for _, chunk := range some {
			for _, to := range chunk[:cap(chunk)] {
				require.Nil(t, to)
			}
		}
	}
}

// The chunk that a crowd of one tick has left is not the next bucket's, in which one timeout stands.
func TestBurstsLeaveNoLargeChunksToLastingTimeouts(t *testing.T) {
	for _, burst := range []int{0, 1, 20, 300, 600} {
		t.Run(strconv.Itoa(burst), func(t *testing.T) {
			const ticks = 1000
			b, to := newBuckets(1+ticks), new(Timeout)
			places := 0
			for tick := range ticks {
				for range burst {
					b.add(ticks, to)
				}
				b.add(tick, to)
				for range burst {
					b.drop(ticks)
				}
				places += cap(b.slots[tick].last)
			}
			assert.Equal(t, 2*ticks, places)
		})
	}
}

func TestCheckFindsUnsoundChunks(t *testing.T) {
	for name, breakIt := range map[string]func(b *buckets){
		"a chunk before the last is not full": func(b *buckets) { b.slots[0].full[0] = b.slots[0].full[0][1:] },
		"the last chunk is empty":             func(b *buckets) { b.slots[0].last = b.slots[0].last[:0] },
		"a timeout was dropped and is kept":   func(b *buckets) { b.slots[0].last = b.slots[0].last[:1] },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuckets(1)
			for _, to := range newTimeouts(2*chunkLen + 2) {
				b.add(0, to)
			}
			require.NotPanics(t, func() { b.check(0) })
			breakIt(b)
			assert.Panics(t, func() { b.check(0) })
		})
	}
}
