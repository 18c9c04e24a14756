package spread

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPickerPicksOneOfEachPiece(t *testing.T) {
	for _, c := range []struct{ want, all int }{{1, 1}, {1, 1000}, {7, 1000}, {10, 1000}, {1000, 1000}, {5000, 1000}} {
		pieces := min(c.want, c.all)
		p := New(c.want, c.all)
		picked := make([]int, pieces)
		for i := range c.all {
			if p.Visit() {
				piece := 0
				for (piece+1)*c.all/pieces <= i {
					piece++
				}
				picked[piece]++
			}
		}
		for piece, n := range picked {
			assert.Equal(t, 1, n, "picks of piece %d, of %d out of %d", piece, c.want, c.all)
		}
	}
}

func TestPickerPicksEachThingEquallyOften(t *testing.T) {
	const all, want, rounds = 40, 10, 4000
	var times [all]int
	for range rounds {
		p := New(want, all)
		for i := range all {
			if p.Visit() {
				times[i]++
			}
		}
	}
	for i, n := range times {
		assert.InDelta(t, rounds*want/all, n, 200, "thing %d", i) // seven standard deviations
	}
}

func TestPickerGoesOnBeyondAll(t *testing.T) {
	p := New(2, 10)
	picks := 0
	for range 30 { // things that arrive during the walk
		if p.Visit() {
			picks++
		}
	}
	assert.Equal(t, 6, picks)
}
