package inspect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// pictureOf returns the picture of a timer with a timeout in each row.
func pictureOf(tick time.Duration) picture {
	rows := dueRows(tick)
	for i := range rows {
		rows[i].Count = 1
	}
	return newPicture(timerReport{Tick: tick, Due: rows})
}

// A clock that was set back by years leaves deadlines beyond the last row.
func TestDueBeyondTheLastRowIsCountedThere(t *testing.T) {
	rows := countDue(dueRows(day), []hashedwheel.Sampled{{Deadline: time.Now()}}, time.Time{})
	assert.Equal(t, 1, rows[len(rows)-1].Count)
}

func TestBarsFillTheAxis(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, 100 * time.Millisecond, time.Minute, 5 * 365 * day} {
		end := 0.0
		for _, b := range pictureOf(tick).Bars {
			assert.InDelta(t, end, b.X, 0.01, b.Hint)
			assert.Greater(t, b.Width, 0.5, b.Hint)
			end = b.X + b.Width
		}
		assert.InDelta(t, 100, end, 0.01)
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	for tick, first := range map[time.Duration]string{
		100 * time.Microsecond: "100 µs", 10 * time.Millisecond: "10 ms", 700 * time.Millisecond: "700 ms",
		20 * time.Hour: "20 h", 5 * 365 * day: "5 y",
	} {
		all := pictureOf(tick).Labels
		assert.Equal(t, first, all[0].Text)
		last, lastMajor := -100.0, -100.0
		for _, l := range all {
			assert.Greater(t, l.X-last, 4.5, "%s is too close, with a tick of %v", l.Text, tick)
			last = l.X
			if !l.Minor {
				assert.Greater(t, l.X-lastMajor, 8.5, "%s is too close for a phone, with a tick of %v", l.Text, tick)
				lastMajor = l.X
			}
			assert.LessOrEqual(t, l.X, 100.0)
		}
	}
}
