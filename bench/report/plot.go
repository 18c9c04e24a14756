package report

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	plotWidth   = 10.3 * vg.Inch
	plotHeight  = 5.8 * vg.Inch
	legendWidth = 2.6 * vg.Inch
)

// A Plot is a picture of one line a peer.
type Plot struct {
	File, Title, X, Y string
	logX              bool
	points            func(rows []Row, peer string) plotter.XYs
	ticks             []plot.Tick // of x; nil for decades
}

// Plots returns those that are drawn of a complete run.
func Plots() []Plot {
	return []Plot{
		{
			File:   "grow.svg",
			Title:  "Replacing one of the pending timeouts: what it costs as they grow in number",
			X:      "pending timeouts",
			Y:      "CPU time of the process, ns an operation",
			logX:   true,
			points: byPending("grow", "CPU"),
		},
		tailPlot("rpc", "Arming a deadline at the highest rate of calls"),
		tailPlot("due", "Arming a timeout while very many others are due in one tick"),
	}
}

func tailPlot(load, title string) Plot {
	figures := []string{"p50", "p99", "p99.9", "max"}
	var ticks []plot.Tick
	for i, f := range figures {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: f})
	}
	return Plot{
		File:   load + ".svg",
		Title:  title,
		X:      "percentile",
		Y:      "µs an arming",
		points: byFigure(load, "arming ", figures),
		ticks:  ticks,
	}
}

// byPending takes a point from each case of a load, at the number in its name.
func byPending(load, figure string) func([]Row, string) plotter.XYs {
	return func(rows []Row, peer string) (points plotter.XYs) {
		rows = where(rows, func(r Row) bool { return r.Load == load })
		for _, name := range distinct(rows, func(r Row) string { return r.Case }) {
			c := summarize(where(rows, func(r Row) bool { return r.Case == name }), peer, figure)
			if n := parseCount(name); n > 0 && c.value > 0 {
				points = append(points, plotter.XY{X: n, Y: c.value})
			}
		}
		return points
	}
}

// byFigure takes a point from each of the figures of a load with one case.
func byFigure(load, prefix string, figures []string) func([]Row, string) plotter.XYs {
	return func(rows []Row, peer string) (points plotter.XYs) {
		rows = where(rows, func(r Row) bool { return r.Load == load })
		for i, figure := range figures {
			if c := summarize(rows, peer, prefix+figure); c.value > 0 {
				points = append(points, plotter.XY{X: float64(i), Y: c.value})
			}
		}
		return points
	}
}

// parseCount reads the number that begins a name: 1M pending.
func parseCount(name string) float64 {
	number, _, _ := strings.Cut(name, " ")
	unit := 1.0
	switch {
	case strings.HasSuffix(number, "k"):
		unit = 1e3
	case strings.HasSuffix(number, "M"):
		unit = 1e6
	}
	n, _ := strconv.ParseFloat(strings.TrimRight(number, "kM"), 64)
	return n * unit
}

// line is a peer's line in a plot.
type line struct {
	peer   Peer
	points plotter.XYs
}

// Draw writes the plot as SVG and reports whether there was anything to draw.
func (p Plot) Draw(w io.Writer, r *Report) (bool, error) {
	var lines []line
	for _, peer := range r.Peers {
		if points := p.points(r.Rows, peer.Name); len(points) > 1 {
			lines = append(lines, line{peer, points})
		}
	}
	if len(lines) == 0 {
		return false, nil
	}
	slices.SortStableFunc(lines, func(a, b line) int { // the legend goes down as the lines do
		return int(math.Copysign(1, b.points[len(b.points)-1].Y-a.points[len(a.points)-1].Y))
	})
	pl := p.axes(lines)
	legend := plot.NewLegend()
	legend.TextStyle.Font.Size = 10
	legend.Top, legend.Left, legend.Padding = true, true, 3
	legend.ThumbnailWidth = 0.45 * vg.Inch
	var top []plot.Plotter
	for _, l := range lines {
		shape, marks, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return false, err
		}
		shape.LineStyle, marks.GlyphStyle = styleOf(l.peer.Name)
		legend.Add(l.peer.Label, shape, marks)
		if stressed(l.peer.Name) {
			top = append(top, shape, marks)
		} else {
			pl.Add(shape, marks)
		}
	}
	pl.Add(top...)
	return true, paint(w, pl, legend)
}

// axes returns a plot without lines.
func (p Plot) axes(lines []line) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	pl := plot.New()
	pl.Title.Text, pl.X.Label.Text = p.Title+"\n"+p.Y, p.X // beside a logarithmic axis the plot would make room twice
	pl.Title.TextStyle.Font.Size, pl.Title.Padding = 13, 14
	pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, decades{}
	if p.logX {
		pl.X.Scale, pl.X.Tick.Marker = plot.LogScale{}, decades{}
	}
	if p.ticks != nil {
		pl.X.Tick.Marker = plot.ConstantTicks(p.ticks)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gray(0xdd), gray(0xee)
	pl.Add(grid)
	low, high := math.Inf(1), 0.0
	for _, l := range lines {
		for _, point := range l.points {
			low, high = min(low, point.Y), max(high, point.Y)
		}
	}
	pl.Y.Min, pl.Y.Max = low/1.3, high*1.3
	return pl
}

// paint draws the plot with the legend to its right, on white: the picture is
// shown on dark pages, too.
func paint(w io.Writer, pl *plot.Plot, legend plot.Legend) error {
	canvas := vgsvg.New(plotWidth, plotHeight)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	pl.Draw(draw.Crop(all, 8, -legendWidth, 8, -8))
	legend.Draw(draw.Crop(all, plotWidth-legendWidth+10, 0, 0, -38))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	// A browser without the font would take one with serifs.
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), []byte("Liberation Sans;"), []byte("Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// decades labels the powers of ten: 1k, 10k.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(low, high)
	ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < low || t.Value > high })
	for i, t := range ticks {
		if t.Label == "" {
			continue
		}
		switch {
		case t.Value >= 1e6:
			ticks[i].Label = strconv.FormatFloat(t.Value/1e6, 'g', -1, 64) + "M"
		case t.Value >= 1e3:
			ticks[i].Label = strconv.FormatFloat(t.Value/1e3, 'g', -1, 64) + "k"
		}
	}
	return ticks
}
