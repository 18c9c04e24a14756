package hashedwheel

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newBuckets(slots int) *buckets {
	return &buckets{make([]slot, slots), new(spares)}
}

func newTimeouts(n int) []*Timeout {
	all := make([]*Timeout, n)
	for i := range all {
		all[i] = new(Timeout)
	}
	return all
}

// Few timeouts take few bytes, and another slot reuses the chunks of an emptied one.
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

func TestSparesAreBounded(t *testing.T) {
	b := newBuckets(1)
	const n = 12 * chunkLen
	for _, to := range newTimeouts(n) {
		b.add(0, to)
	}
	for range n {
		b.drop(0)
	}
	assert.Len(t, *b.spares.of(chunkLen), maxSpares(chunkLen))
}

// The large chunk that a crowd of one tick has left is not reused for the next bucket, which holds one timeout.
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
