package inspect

import (
	"math"
	"slices"
	"time"
)

// A picture is a histogram of counts over time. It has a fixed height and fills the available width: Y and Height are
// in pixels, X and Width in percent.
type picture struct {
	Height, Axis float64 // of the whole picture; the position of the axis
	Bars         []bar
	Labels       []label
	Lines        []line
}

// Mark is the lower end of a mark on the axis. Text is the position of the text below the mark.
func (p picture) Mark() float64 { return p.Axis + 4 }
func (p picture) Text() float64 { return p.Axis + 18 }

type bar struct {
	X, Width  float64
	Y, Height float64
	Hint      string
	Quiet     bool // the count is 0
	Span      string
	Count     string
}

// A label is below the axis.
type label struct {
	X     float64
	Text  string
	Minor bool // hidden in a narrow window
}

// A line crosses the picture at a round count.
type line struct {
	Y     float64
	Count string
}

const (
	top      = 16.0
	below    = 26.0 // pixels below the axis
	shortest = 2.0  // pixels, so that a single timeout can be seen
)

// columns is the data of a picture. Column i counts the tasks from within[i-1] to within[i]; the first column has no
// beginning, and the last has no end.
type columns struct {
	within        []time.Duration
	counts        []uint64
	widening      float64 // the first and the last column are as wide as this factor of time
	first, beyond string  // the words for the first and the last column, such as "within" and "after"
	number        func(uint64) string
	about         string
}

func newPicture(r timerReport) picture {
	c := columns{widening: 3, first: "within", beyond: "after", number: r.number, about: r.about()}
	for _, row := range r.Due {
		c.within = append(c.within, row.Within)
		c.counts = append(c.counts, uint64(row.Count))
	}
	return c.draw(132, append([]labeled{{r.Tick, false}}, dueLabels...))
}

// newLatePicture returns a lower picture than newPicture, since it usually has a few bars on the left.
func newLatePicture(l waits) picture {
	c := columns{widening: 2, first: "within", beyond: "over", number: count}
	for _, b := range l {
		c.within = append(c.within, b.UpTo)
		c.counts = append(c.counts, b.Count)
	}
	return c.draw(84, append([]labeled{{l[0].UpTo, false}}, lateLabels...))
}

func (c columns) draw(bottom float64, names []labeled) picture {
	x := c.axis()
	most := slices.Max(c.counts)
	height := func(n uint64) float64 { return (bottom - top) * float64(n) / float64(most) }
	p := picture{Height: bottom + below, Axis: bottom, Labels: labels(names, x)}
	if round := largestRound(most); round > 0 {
		p.Lines = []line{{bottom - height(round), count(round)}}
	}
	left := 0.0
	for i, n := range c.counts {
		right := x(c.within[i])
		b := bar{X: left, Width: right - left, Y: bottom, Quiet: n == 0, Span: c.span(i), Count: c.number(n)}
		if n > 0 {
			b.Height = max(shortest, height(n))
			b.Y = bottom - b.Height
		}
		b.Hint = b.Span + ": " + c.about + b.Count
		p.Bars = append(p.Bars, b)
		left = right
	}
	return p
}

// axis returns a function from a time to its X, on a logarithmic scale.
func (c columns) axis() func(time.Duration) float64 {
	first := math.Log(float64(c.within[0]) / c.widening)
	last := math.Log(float64(c.within[len(c.within)-2]) * c.widening)
	return func(d time.Duration) float64 {
		return 100 * min(1, (math.Log(float64(d))-first)/(last-first))
	}
}

// span returns the range of times of a column, in words.
func (c columns) span(i int) string {
	switch {
	case i == 0:
		return c.first + " " + span(c.within[0])
	case i == len(c.within)-1:
		return c.beyond + " " + span(c.within[i-1])
	}
	return span(c.within[i-1]) + " to " + span(c.within[i])
}

// largestRound returns the largest round count that a bar reaches. A line at that height shows the scale.
func largestRound(most uint64) (round uint64) {
	scale := uint64(1)
	for most/scale >= 10 {
		scale *= 10
	}
	for _, digit := range []uint64{1, 2, 5} {
		if most/scale >= digit {
			round = scale * digit
		}
	}
	return round
}

// labeled is a time with a label below the axis. A minor label is hidden in a narrow window.
type labeled struct {
	at    time.Duration
	minor bool
}

var dueLabels = []labeled{
	{time.Millisecond, false}, {10 * time.Millisecond, true}, {100 * time.Millisecond, true},
	{time.Second, false}, {10 * time.Second, true},
	{time.Minute, false}, {10 * time.Minute, true},
	{time.Hour, false}, {6 * time.Hour, true},
	{day, false}, {30 * day, false}, {year, false},
}

var lateLabels = []labeled{
	{time.Millisecond, false}, {10 * time.Millisecond, false},
	{100 * time.Millisecond, false}, {time.Second, false}, {10 * time.Second, false},
}

// labels returns a label for the first time, and for each later time that is not too close to the first.
func labels(names []labeled, x func(time.Duration) float64) []label {
	const close, closeMinor = 11.0, 6.0 // percent: in a narrow window, and in a wide window
	first := names[0]
	all := []label{{X: x(first.at), Text: span(first.at)}}
	for _, l := range names[1:] {
		if distance := x(l.at) - x(first.at); distance > closeMinor {
			all = append(all, label{x(l.at), span(l.at), l.minor || distance <= close})
		}
	}
	return all
}
