package report

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const (
	plotWidth  = 9 * vg.Inch
	plotHeight = 5.2 * vg.Inch
	labelWidth = 1.75 * vg.Inch // right of the lines, for their names
	mostLines  = 6
)

// A Plot is a picture of one line a peer, for six at most.
type Plot struct {
	File, Title, X, Y string
	logX              bool
	peers             []string // in the order in which they are wanted
	points            func(rows []Row, peer string) plotter.XYs
	ticks             []plot.Tick // of x; nil for decades
}

// Drawn is a plot that has been drawn.
type Drawn struct {
	File string
	Note string // names the peers that it leaves out, and where they would be
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
			peers:  []string{ours, base, "hierarchy", "rounds", "heap", "timingwheel", "nats-thw", "go-zero"},
			points: byPending("grow", "CPU"),
		},
		tailPlot("rpc", "Arming a deadline at the highest rate of calls", "p50", "p99", "p99.9", "max"),
		tailPlot("due", "Arming a timeout every 10 µs, from its intended start, while very many others are due",
			"p50", "p90", "p99", "p99.9", "p99.99", "max"),
	}
}

func tailPlot(load, title string, figures ...string) Plot {
	var ticks []plot.Tick
	for i, f := range figures {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: f})
	}
	return Plot{
		File:   load + ".svg",
		Title:  title,
		X:      "part of the armings that are not slower",
		Y:      "µs an arming",
		peers:  []string{ours, base, "netty-10ms", "hierarchy", "timingwheel", "nats-thw", "rounds", "std-context"},
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

// Draw writes the plot as SVG. It reports whether there was anything to draw, and
// what it has left out.
func (p Plot) Draw(w io.Writer, r *Report) (drawn bool, note string, err error) {
	lines, others := p.choose(r)
	if len(lines) == 0 {
		return false, "", nil
	}
	pl := p.axes(lines)
	for _, l := range slices.Backward(lines) { // those wanted most are drawn over the others
		shape, marks, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return false, "", err
		}
		shape.LineStyle, marks.GlyphStyle = styleOf(l.peer.Name)
		pl.Add(shape, marks)
	}
	return true, p.leftOut(others), paint(w, pl, lines)
}

// choose returns the lines that are drawn, and those that are not.
func (p Plot) choose(r *Report) (lines, others []line) {
	for _, peer := range r.Peers {
		points := p.points(r.Rows, peer.Name)
		switch {
		case len(points) < 2 || strings.HasSuffix(peer.Name, peers.Again):
		case slices.Contains(p.peers, peer.Name):
			lines = append(lines, line{peer, points})
		default:
			others = append(others, line{peer, points})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return slices.Index(p.peers, a.peer.Name) - slices.Index(p.peers, b.peer.Name)
	})
	if len(lines) > mostLines {
		lines, others = lines[:mostLines], append(others, lines[mostLines:]...)
	}
	return lines, others
}

// leftOut names the lines that are not drawn, and where they end.
func (p Plot) leftOut(others []line) string {
	if len(others) == 0 {
		return ""
	}
	slices.SortStableFunc(others, func(a, b line) int { return cmp.Compare(b.last().Y, a.last().Y) })
	var names []string
	for _, l := range others {
		names = append(names, l.peer.Name+" "+Number(l.last().Y))
	}
	return "Not drawn, with what they have at their right end (" + p.Y + "): " + strings.Join(names, ", ") + "."
}

func (l line) last() plotter.XY { return l.points[len(l.points)-1] }

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
