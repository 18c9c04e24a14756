package report

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// paint draws the plot with a label at the end of each line.
func (t theme) paint(w io.Writer, pl *plot.Plot, lines []line) error {
	canvas := vgsvg.New(plotWidth, plotHeight)
	all := draw.New(canvas)
	all.SetColor(t.paper)
	all.Fill(all.Rectangle.Path())
	area := draw.Crop(all, 8, -labelWidth, 8, -8)
	pl.Draw(area)
	t.label(all, pl, pl.DataCanvas(area), lines)
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	// A browser without the font would choose a font with serifs.
	_, err := io.WriteString(w, strings.ReplaceAll(svg.String(), "Liberation Sans;", "Liberation Sans,Arial,Helvetica,sans-serif;"))
	return err
}

// label writes the name of each line at its end.
func (t theme) label(all draw.Canvas, pl *plot.Plot, data draw.Canvas, lines []line) {
	x, y := pl.Transforms(&data)
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.last().Y, b.last().Y) })
	at := make([]vg.Length, len(lines))
	for i, l := range lines {
		at[i] = y(l.last().Y)
	}
	spread(at, 13)
	for i, l := range lines {
		style := pl.Legend.TextStyle
		lineStyle, _ := t.styleOf(l.peer.Name)
		style.Color, style.Font.Size, style.YAlign = lineStyle.Color, 11, draw.YCenter
		all.FillText(style, vg.Point{X: x(l.last().X) + 8, Y: at[i]}, strings.Replace(l.peer.Label, base, "package time", 1))
	}
}

// spread moves sorted heights apart that are closer than a line of text, half up and
// half down.
func spread(at []vg.Length, height vg.Length) {
	for range 100 {
		for i := 1; i < len(at); i++ {
			if short := height - (at[i] - at[i-1]); short > 0 {
				at[i-1] -= short / 2
				at[i] += short / 2
			}
		}
	}
}
