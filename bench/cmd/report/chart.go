package main

import (
	"bytes"
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A theme has the colors of a picture, for a light or a dark page.
type theme struct {
	name                  string
	ink, grid, std, wheel color.Color
}

func rgb(hex uint32) color.Color {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

var themes = []theme{
	{"light", rgb(0x59636e), rgb(0xd1d9e0), rgb(0xbc4c00), rgb(0x0969da)},
	{"dark", rgb(0x9198a1), rgb(0x3d444d), rgb(0xdb6d28), rgb(0x4493f8)},
}

// charts draws lateness and CPU time of BenchmarkServer by the number of pending timeouts. All axes are logarithmic.
func (t theme) charts() {
	lateness := powers(0.1, "0.1 ms", "1 ms", "10 ms", "100 ms")
	t.draw("late", t.panel("Median lateness", "late-p50-ms", 0.02, lateness),
		t.panel("99th percentile of lateness", "late-p99-ms", 0.02, lateness))
	share := powers(0.1, "≤ 0.1%", "1%", "10%", "100%")
	t.draw("server", t.panel("CPU time of the timers, of one core", "timers-cpu-%", 0.1, share))
}

// draw writes a picture of panels that stand side by side.
func (t theme) draw(name string, panels ...*plot.Plot) {
	page := vgsvg.New(vg.Length(len(panels))*4.5*vg.Inch, 3.6*vg.Inch)
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: 30, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 24}
	for i, c := range plot.Align([][]*plot.Plot{panels}, tiles, draw.New(page))[0] {
		panels[i].Draw(c)
	}
	var svg bytes.Buffer
	_, err := page.WriteTo(&svg)
	check(err)
	const sans = "font-family:Liberation Sans"
	text := bytes.ReplaceAll(svg.Bytes(), []byte(sans), []byte(sans+",Arial,sans-serif"))
	check(os.WriteFile("../docs/"+name+"-"+t.name+".svg", text, 0o644))
}

// panel returns a plot of one unit, with a line for each of the two timers.
func (t theme) panel(title, unit string, least float64, labels plot.ConstantTicks) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.Title.Padding = title, vg.Points(8)
	p.X.Label.Text = "pending timeouts"
	p.Y.Min, p.Y.Max = least, 200
	p.X.Tick.Marker = powers(1e3, "1,000", "10,000", "100,000", "1,000,000")
	p.Y.Tick.Marker = labels
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Scale = plot.LogScale{}
		a.Color, a.Tick.Color = t.grid, t.grid
		t.write(&a.Tick.Label, 10)
		t.write(&a.Label.TextStyle, 11)
	}
	t.write(&p.Title.TextStyle, 12)
	t.write(&p.Legend.TextStyle, 11)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-24)
	p.Legend.ThumbnailWidth, p.Legend.Padding = vg.Points(24), vg.Points(4)
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = t.grid
	p.Add(grid)
	p.Legend.Add("the time package", add(p, std, unit, t.std)...)
	p.Legend.Add("hashedwheel", add(p, wheel, unit, t.wheel)...)
	return p
}

func (t theme) write(style *text.Style, size vg.Length) {
	style.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	style.Color = t.ink
}

func powers(value float64, labels ...string) (ticks plot.ConstantTicks) {
	for _, label := range labels {
		ticks = append(ticks, plot.Tick{Value: value, Label: label})
		value *= 10
	}
	return ticks
}

// add draws the medians of a timer, and returns their symbols for a legend.
func add(p *plot.Plot, timer, unit string, c color.Color) []plot.Thumbnailer {
	var medians plotter.XYs
	for i, size := range []string{"1k", "10k", "100k", "1M"} {
		f := figure{"", ".name:Server /pending:" + size, unit, ""}
		if s := f.sample(timer); s != nil {
			atLeast := max(center(s), p.Y.Min) // noise is drawn on the axis
			medians = append(medians, plotter.XY{X: math.Pow10(3 + i), Y: atLeast})
		}
	}
	line, points, err := plotter.NewLinePoints(medians)
	check(err)
	line.Color, line.Width = c, vg.Points(1.8)
	points.Color, points.Shape, points.Radius = c, draw.CircleGlyph{}, vg.Points(3)
	p.Add(line, points)
	return []plot.Thumbnailer{line, points}
}
