package report

import (
	"bytes"
	"cmp"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// paint draws the plot with a label at the end of each line, on white: the picture
// is shown on dark pages, too.
func paint(w io.Writer, pl *plot.Plot, lines []line) error {
	canvas := vgsvg.New(plotWidth, plotHeight)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	area := draw.Crop(all, 8, -labelWidth, 8, -8)
	pl.Draw(area)
	label(all, pl, pl.DataCanvas(area), lines)
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	// A browser without the font would take one with serifs.
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), []byte("Liberation Sans;"), []byte("Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// label writes the name of each line at its end.
func label(all draw.Canvas, pl *plot.Plot, data draw.Canvas, lines []line) {
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
		lineStyle, _ := styleOf(l.peer.Name)
		style.Color, style.Font.Size, style.YAlign = lineStyle.Color, 11, draw.YCenter
		all.FillText(style, vg.Point{X: x(l.last().X) + 8, Y: at[i]}, l.peer.Label)
	}
}

// spread moves those of the sorted heights apart that are closer than a line of
// text, up and down alike.
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

// decades labels the powers of ten: 1k, 10k.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(low, high)
	ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < low || t.Value > high })
	for i, t := range ticks {
		leading := t.Value / math.Pow(10, math.Floor(math.Log10(t.Value)+1e-9))
		between := high < 100*low && (math.Abs(leading-2) < 1e-6 || math.Abs(leading-5) < 1e-6) // few decades have few labels
		if t.Label == "" && !between {
			continue
		}
		ticks[i].Label = strconv.FormatFloat(t.Value, 'g', -1, 64)
		switch {
		case t.Value >= 1e6:
			ticks[i].Label = strconv.FormatFloat(t.Value/1e6, 'g', -1, 64) + "M"
		case t.Value >= 1e3:
			ticks[i].Label = strconv.FormatFloat(t.Value/1e3, 'g', -1, 64) + "k"
		}
	}
	return ticks
}
