package inspect

import (
	"math"
	"time"
)

// A picture has a fixed height and fills the width there is: y and height are in
// pixels, x and width in percent.
type picture struct {
	Bars   []bar
	Labels []label
	Lines  []line
}

type bar struct {
	X, Width  float64
	Y, Height float64
	Hint      string
	Quiet     bool // nothing is in it
	Span      string
	Count     string
}

// A label is below the axis.
type label struct {
	X     float64
	Text  string
	Minor bool // left out where there is little room
}

// A line crosses the picture at a round count.
type line struct {
	Y     float64
	Count string
}

const (
	top, bottom = 16.0, 132.0
	shortest    = 2.0 // pixels, so that a single timeout can be seen
)

func newPicture(r timerReport) picture {
	x := axis(r.Due)
	most := 0
	for _, row := range r.Due {
		most = max(most, row.Count)
	}
	p := picture{Labels: labels(r.Due, x), Lines: lines(most)}
	left := 0.0
	for i, row := range r.Due {
		right := x(row.Within)
		b := bar{X: left, Width: right - left, Y: bottom, Quiet: row.Count == 0, Span: rowSpan(r.Due, i), Count: r.number(row.Count)}
		if row.Count > 0 {
			b.Height = max(shortest, height(row.Count, most))
			b.Y = bottom - b.Height
		}
		b.Hint = b.Span + ": " + r.about() + b.Count
		p.Bars = append(p.Bars, b)
		left = right
	}
	return p
}

// axis returns where a time is, logarithmically: the first row, which has no
// beginning, and the last, which has no end, are as wide as a factor of three.
func axis(rows []dueRow) func(time.Duration) float64 {
	first := math.Log(float64(rows[0].Within) / 3)
	last := math.Log(float64(rows[len(rows)-2].Within) * 3)
	return func(d time.Duration) float64 {
		return 100 * min(1, (math.Log(float64(d))-first)/(last-first))
	}
}

func height(n, most int) float64 { return (bottom - top) * float64(n) / float64(most) }

// lines are at the largest round count that a bar reaches, so that the height of the
// others can be read.
func lines(most int) []line {
	round := 0
	for scale := 1; scale <= most; scale *= 10 {
		for _, digit := range []int{1, 2, 5} {
			if scale*digit <= most {
				round = scale * digit
			}
		}
	}
	if round == 0 {
		return nil
	}
	return []line{{bottom - height(round, most), count(uint64(round))}}
}

// labelled are the times that have a name below the axis; the minor ones have none
// where there is little room.
var labelled = []struct {
	at    time.Duration
	minor bool
}{
	{time.Millisecond, false}, {10 * time.Millisecond, true}, {100 * time.Millisecond, true},
	{time.Second, false}, {10 * time.Second, true},
	{time.Minute, false}, {10 * time.Minute, true},
	{time.Hour, false}, {6 * time.Hour, true},
	{day, false}, {30 * day, false}, {year, false},
}

// labels names the end of the first row, which is a tick, and whatever is not too
// close to it.
func labels(rows []dueRow, x func(time.Duration) float64) []label {
	const close, closeMinor = 11.0, 6.0 // percent: where there is little room, and where there is much
	tick := rows[0].Within
	all := []label{{X: x(tick), Text: span(tick)}}
	for _, l := range labelled {
		if distance := x(l.at) - x(tick); distance > closeMinor {
			all = append(all, label{x(l.at), span(l.at), l.minor || distance <= close})
		}
	}
	return all
}

// rowSpan says from when to when a row goes.
func rowSpan(rows []dueRow, i int) string {
	switch {
	case i == 0:
		return "within " + span(rows[0].Within)
	case i == len(rows)-1:
		return "after " + span(rows[i-1].Within)
	}
	return span(rows[i-1].Within) + " to " + span(rows[i].Within)
}
