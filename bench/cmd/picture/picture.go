package main

import (
	"bytes"
	"fmt"
	"image/color"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hashedwheel/hashedwheel/bench"
)

// colors of a page on GitHub.
type colors struct{ paper, ink, grid, std, wheel color.Color }

var (
	light = colors{rgb(0xffffff), rgb(0x1f2328), rgb(0xd9dee3), rgb(0xbc4c00), rgb(0x0969da)}
	dark  = colors{rgb(0x0d1117), rgb(0xe6edf3), rgb(0x30363d), rgb(0xf0883e), rgb(0x58a6ff)}
)

func rgb(hex int) color.Color { return color.RGBA{byte(hex >> 16), byte(hex >> 8), byte(hex), 255} }

// The picture is as wide as a page on GitHub, so that its letters have the size of the text around it.
const width, height, letters = vg.Length(620), vg.Length(300), vg.Length(10)

// The numbers of pending timeouts, by their label in the results.
var sizes = []struct{ label, text string }{{"1k", "1,000"}, {"10k", "10,000"}, {"100k", "100,000"}}

// svg returns the picture: CPU time on the left, lateness on the right, by tick.
func (c colors) svg(r results) ([]byte, error) {
	cpu, late := c.panel("CPU time of the timers, % of a processor"), c.panel("How late tasks run, ms, 100,000 pending")
	for _, size := range sizes {
		std, wheel, err := c.pair(cpu, r, size.label, bench.TimersCPU)
		if err != nil {
			return nil, err
		}
		top := max(std.value, wheel[0].value, wheel[1].value) // the words are as long as two ticks are apart
		c.write(cpu, point{firstTick, top}, above|right, size.text+" pending", c.ink)
		if size == sizes[len(sizes)-1] {
			ofStd, ofWheel := above|left, below|left
			if wheel[len(wheel)-1].value > std.value {
				ofStd, ofWheel = ofWheel, ofStd
			}
			c.write(cpu, std, ofStd, "package time", c.std)
			c.write(cpu, wheel[len(wheel)-1], ofWheel, "hashedwheel", c.wheel)
		}
	}
	for _, share := range []struct {
		unit, ofStd, ofWheel string
		where                side
	}{
		{bench.LateP50, "median", "median", below | right},
		{bench.LateP99, "package time, 99%", "hashedwheel, 99%", above | left},
	} {
		std, wheel, err := c.pair(late, r, "100k", share.unit)
		if err != nil {
			return nil, err
		}
		c.write(late, std, below|left, share.ofStd, c.std)
		c.write(late, wheel[(len(wheel)-1)*2/3], share.where, share.ofWheel, c.wheel)
	}

	canvas := vgsvg.New(width, height)
	panels := [][]*plot.Plot{{cpu, late}}
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: 24, PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 8}
	page := draw.New(canvas)
	page.SetColor(c.paper)
	page.Fill(page.Rectangle.Path())
	for i, place := range plot.Align(panels, tiles, page)[0] {
		panels[0][i].Draw(place)
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	const liberation = "font-family:Liberation Sans"
	return bytes.ReplaceAll(out.Bytes(), []byte(liberation), []byte(liberation+",Arial,Helvetica,sans-serif")), nil
}

// panel returns an empty plot over the ticks.
func (c colors) panel(title string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle = c.style(c.ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = 10
	p.X.Label.Text = "tick"
	p.X.Min, p.X.Max = firstTick.Seconds(), lastTick.Seconds()
	p.X.Tick.Marker = plot.ConstantTicks{
		{Value: 1e-4, Label: "100 µs"}, {Value: 1e-3, Label: "1 ms"}, {Value: 1e-2, Label: "10 ms"},
		{Value: 1e-1, Label: "100 ms"},
	}
	p.Y.Min, p.Y.Max = 0.1, 110
	p.Y.Tick.Marker = plot.ConstantTicks{
		{Value: 0.1, Label: "0.1"}, {Value: 1, Label: "1"}, {Value: 10, Label: "10"}, {Value: 100, Label: "100"},
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale = plot.LogScale{}
		axis.LineStyle.Width, axis.Tick.LineStyle.Width, axis.Padding = 0, 0, 6
		axis.Tick.Length = 4
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = c.style(c.ink).Font, c.style(c.ink).Font
		axis.Label.TextStyle.Color, axis.Tick.Label.Color = c.ink, c.ink
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = c.grid, c.grid
	grid.Vertical.Width, grid.Horizontal.Width = 0.75, 0.75
	p.Add(grid)
	return p
}

const firstTick, lastTick = 100 * time.Microsecond, 100 * time.Millisecond

// pair draws a figure of both timers, and returns the end of package time's line and the points of the other.
func (c colors) pair(p *plot.Plot, r results, pending, unit string) (std point, wheel []point, err error) {
	ofStd, wheel := r[series{pending, bench.Two[0].Name, unit}], r[series{pending, bench.Two[1].Name, unit}]
	if len(ofStd) == 0 || len(wheel) == 0 {
		return std, nil, fmt.Errorf("the results have no %s with %s pending", unit, pending)
	}
	std = point{lastTick, ofStd[0].value}
	c.line(p, []point{{firstTick, std.value}, std}, c.std, false)
	c.line(p, wheel, c.wheel, true)
	return std, wheel, nil
}

func (c colors) line(p *plot.Plot, points []point, ink color.Color, dots bool) {
	var xys plotter.XYs
	for _, at := range points {
		xys = append(xys, plotter.XY{X: at.tick.Seconds(), Y: max(at.value, p.Y.Min)})
	}
	l, s, err := plotter.NewLinePoints(xys)
	if err != nil {
		panic(err) // a value is not a number
	}
	l.Color, l.Width = ink, 2
	p.Add(l)
	if dots {
		s.Color, s.Radius, s.Shape = ink, 2.5, draw.CircleGlyph{}
		p.Add(s)
	}
}

// side is where words stand, seen from their point.
type side int

const (
	above side = 1 << iota
	below
	left
	right
)

func (c colors) write(p *plot.Plot, at point, where side, words string, ink color.Color) {
	labels, err := plotter.NewLabels(plotter.XYLabels{
		XYs:    plotter.XYs{{X: at.tick.Seconds(), Y: max(at.value, p.Y.Min)}},
		Labels: []string{words},
	})
	if err != nil {
		panic(err) // a value is not a number
	}
	style := c.style(ink)
	if where&left != 0 {
		style.XAlign = draw.XRight
	}
	labels.Offset.Y = 5
	if where&below != 0 {
		style.YAlign, labels.Offset.Y = draw.YTop, -5
	}
	labels.TextStyle[0] = style
	p.Add(labels)
}

func (c colors) style(ink color.Color) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, letters),
		Handler: plot.DefaultTextHandler,
	}
}
