package inspect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// newLateness returns the buckets of a Timer with these counts.
func newLateness(counts [20]uint64) lateness {
	l := hashedwheel.MustNew().Stats().Lateness
	for i, n := range counts {
		l[i].Count = n
	}
	return l
}

func TestLatenessIsShownInWords(t *testing.T) {
	for _, tt := range []struct {
		half, most string
		counts     [20]uint64
	}{
		{"–", "–", [20]uint64{}},
		{"within 100 µs", "within 100 µs", [20]uint64{7}},
		{"within 200 µs", "within 200 µs", [20]uint64{0, 7}},
		{"within 100 µs", "within 400 µs", [20]uint64{50, 0, 50}},
		{"within 100 µs", "within 800 µs", [20]uint64{980, 0, 0, 19, 1}},
		{"within 100 µs", "within 1.6 ms", [20]uint64{970, 0, 0, 9, 11, 0, 0, 0, 0, 0, 10}},
		{"within 100 µs", "over 26 s", [20]uint64{98, 19: 2}},
		{"over 26 s", "over 26 s", [20]uint64{19: 3}},
	} {
		l := newLateness(tt.counts)
		assert.Equal(t, []string{tt.half, tt.most}, []string{l.within(0.5), l.within(0.99)})
	}
}

func TestLatenessSinceALookIsTheDifference(t *testing.T) {
	now := newLateness([20]uint64{100, 0, 5, 0, 0, 1, 19: 3})
	before := newLateness([20]uint64{100, 0, 1, 0, 0, 1, 19: 1})
	assert.Equal(t, newLateness([20]uint64{0, 0, 4, 19: 2}), now.since(before))
	assert.Zero(t, newLateness([20]uint64{99, 0, 5}).since(now).count(), "an older reading")
}

// The rows of the table, as "what: half, 99%".
func TestLatenessIsComparedWithTheWaitForAProcessor(t *testing.T) {
	rows := func(l, before lateness, elapsed time.Duration, w waits) (rows []string) {
		for _, row := range latenessRows(l, before, elapsed, w) {
			rows = append(rows, row.What+": "+row.Half+", "+row.Most)
		}
		return rows
	}
	before, now := newLateness([20]uint64{9000, 5}), newLateness([20]uint64{9000, 9, 19: 1})
	assert.Equal(t, []string{
		"tasks, since the start: within 100 µs, within 100 µs",
		"tasks, over the last 2 s: within 200 µs, over 26 s",
		"goroutines' wait for a processor, over the last 2 s: within 1 µs, within 2 ms",
	}, rows(now, before, 2*time.Second, waits{time.Microsecond, 2 * time.Millisecond}))
	assert.Equal(t, []string{
		"tasks, since the start: within 100 µs, within 100 µs",
		"tasks, over the last 500 ms: –, –",
		"goroutines' wait for a processor, over the last 500 ms: –, –",
	}, rows(now, now, briefest, waits{}), "neither was counted")
	assert.Len(t, rows(now, before, briefest-1, waits{}), 1, "too short")
}

// On 32-bit machines these are more than an int holds.
func TestLatePictureOfBillionsOfTasks(t *testing.T) {
	for tasks, scale := range map[uint64]string{
		1_200_000_000: "1,000,000,000",
		2_140_000_000: "2,000,000,000",
		5_000_000_001: "5,000,000,000",
		1 << 63:       "5,000,000,000,000,000,000",
	} {
		p := newLatePicture(newLateness([20]uint64{3: tasks}))
		assert.Equal(t, count(tasks), p.Bars[3].Count)
		assert.Equal(t, 84-top, p.Bars[3].Height)
		require.Len(t, p.Lines, 1)
		assert.Equal(t, scale, p.Lines[0].Count)
	}
}
