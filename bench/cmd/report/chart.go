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
	file                  string
	ink, grid, std, wheel color.Color
}

func rgb(hex uint32) color.Color {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

var themes = []theme{
	{"../docs/server-light.svg", rgb(0x59636e), rgb(0xd1d9e0), rgb(0xbc4c00), rgb(0x0969da)},
	{"../docs/server-dark.svg", rgb(0x9198a1), rgb(0x3d444d), rgb(0xdb6d28), rgb(0x4493f8)},
}

// chart draws CPU time and lateness of BenchmarkServer by the number of pending timeouts. Both axes are logarithmic.
func (t theme) chart() {
	cpu := t.panel("CPU time of the timers, % of one core", "≤ 0.1", "1", "10", "100")
	late := t.panel("Lateness, ms: median, and p99 (dashed)", "0.1", "1", "10", "100")
	dashes := []vg.Length{vg.Points(4), vg.Points(3)}
	for _, line := range []struct {
		timer, name string
		color       color.Color
	}{{std, "the time package", t.std}, {wheel, "hashedwheel", t.wheel}} {
		cpu.Legend.Add(line.name, add(cpu, line.timer, "timers-cpu-%", line.color, nil)...)
		add(late, line.timer, "late-p50-ms", line.color, nil)
		add(late, line.timer, "late-p99-ms", line.color, dashes)
	}
	page := vgsvg.New(9*vg.Inch, 3.6*vg.Inch)
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Points(30), PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 12}
	panels := [][]*plot.Plot{{cpu, late}}
	for i, c := range plot.Align(panels, tiles, draw.New(page))[0] {
		panels[0][i].Draw(c)
	}
	var svg bytes.Buffer
	_, err := page.WriteTo(&svg)
	check(err)
	const sans = "font-family:Liberation Sans"
	check(os.WriteFile(t.file, bytes.ReplaceAll(svg.Bytes(), []byte(sans), []byte(sans+",Arial,sans-serif")), 0o644))
}

// panel returns an empty plot. The labels of its vertical axis are at powers of ten, from 0.1 on.
func (t theme) panel(title string, labels ...string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.Title.Padding = title, vg.Points(8)
	p.X.Label.Text = "pending timeouts"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1e3, 1e6, 0.1, 200
	p.X.Tick.Marker = powers(1e3, "1,000", "10,000", "100,000", "1,000,000")
	p.Y.Tick.Marker = powers(0.1, labels...)
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
func add(p *plot.Plot, timer, unit string, c color.Color, dashes []vg.Length) []plot.Thumbnailer {
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
	line.Color, line.Width, line.Dashes = c, vg.Points(1.8), dashes
	points.Color, points.Shape, points.Radius = c, draw.CircleGlyph{}, vg.Points(3)
	p.Add(line, points)
	return []plot.Thumbnailer{line, points}
}
