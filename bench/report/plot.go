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

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const (
	plotWidth  = 9 * vg.Inch
	plotHeight = 5.2 * vg.Inch
	labelWidth = 1.75 * vg.Inch // right of the lines, for their names
	mostLines  = 6
)

// A Plot is a picture with a line for each peer, at most six.
type Plot struct {
	File, Title, X, Y string
	unit              float64 // of Y, in ns
	logX              bool
	peers             []string // the most important first
	points            func(rows []Row, peer string) plotter.XYs
	ticks             []plot.Tick // of x; nil for decades
}

// Drawn is a plot that has been drawn twice: in File for light pages, and in DarkFile.
type Drawn struct {
	File, Title string
	Note        string // the peers that are left out, and where their lines end
}

// DarkFile returns the name of the plot for dark pages, given the other's.
func DarkFile(file string) string { return strings.TrimSuffix(file, ".svg") + "-dark.svg" }

// Plots returns the plots of a complete run.
func Plots() []Plot {
	return []Plot{
		{
			File:   "grow.svg",
			Title:  "The cost of replacing a pending timeout, by the number of pending timeouts",
			X:      "pending timeouts",
			Y:      "CPU time of the process for one",
			unit:   1,
			logX:   true,
			peers:  []string{ours, base, "hierarchy", "rounds", "heap", "timingwheel", "nats-thw", "go-zero"},
			points: byPending("grow", "CPU"),
		},
		tailPlot("rpc", "Arming a deadline at the highest rate of calls", "p50", "p99", "p99.9", "max"),
		tailPlot("due", "Arming a timeout every 10 µs, from its intended start, while very many others are due",
			"p50", "p90", "p99", "p99.9", "p99.99", "max"),
	}
}

// shares are the names of quantiles on an axis.
var shares = map[string]string{"p50": "50%", "p90": "90%", "p99": "99%", "p99.9": "99.9%", "p99.99": "99.99%", "max": "all"}

func tailPlot(load, title string, figures ...string) Plot {
	var ticks []plot.Tick
	for i, f := range figures {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: shares[f]})
	}
	return Plot{
		File:   load + ".svg",
		Title:  title,
		X:      "share of the armings that took no longer",
		Y:      "time of an arming",
		unit:   1e3,
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
	n, _ := strconv.ParseFloat(strings.TrimRight(number, "kM,"), 64)
	return n * unit
}

// line is a peer's line in a plot.
type line struct {
	peer   Peer
	points plotter.XYs
}

// Draw writes the plot as SVG, for light or dark pages. It reports whether there was anything to draw, and
// the peers that it has left out.
func (p Plot) Draw(w io.Writer, r *Report, dark bool) (drawn bool, note string, err error) {
	lines, others := p.choose(r)
	if len(lines) == 0 {
		return false, "", nil
	}
	t := themeOf(dark)
	pl := p.axes(lines, t)
	for _, l := range slices.Backward(lines) { // the most important are drawn over the others
		shape, marks, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return false, "", err
		}
		shape.LineStyle, marks.GlyphStyle = t.styleOf(l.peer.Name)
		pl.Add(shape, marks)
	}
	return true, p.leftOut(others), t.paint(w, pl, lines)
}

// choose returns the lines to draw, and the others.
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

// leftOut names the other lines, and where they end.
func (p Plot) leftOut(others []line) string {
	if len(others) == 0 {
		return ""
	}
	slices.SortStableFunc(others, func(a, b line) int { return cmp.Compare(b.last().Y, a.last().Y) })
	var names []string
	for _, l := range others {
		names = append(names, l.peer.Name+" "+duration(l.last().Y*p.unit))
	}
	return "Not drawn, with the value at the right end (" + p.Y + "): " + strings.Join(names, ", ") + "."
}

func (l line) last() plotter.XY { return l.points[len(l.points)-1] }

// axes returns a plot without lines.
func (p Plot) axes(lines []line, t theme) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	pl := plot.New()
	pl.BackgroundColor = nil
	pl.Title.Text, pl.X.Label.Text = p.Title+"\n"+p.Y, p.X // next to a logarithmic axis the plot would reserve the room twice
	pl.Title.TextStyle.Font.Size, pl.Title.Padding = 13, 14
	pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, decades{func(v float64) string { return duration(v * p.unit) }}
	if p.logX {
		pl.X.Scale, pl.X.Tick.Marker = plot.LogScale{}, decades{func(v float64) string { return numbers.Short(int(v)) }}
	}
	if p.ticks != nil {
		pl.X.Tick.Marker = plot.ConstantTicks(p.ticks)
	}
	pl.Title.TextStyle.Color = t.ink
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = t.ink, t.ink, t.ink, t.ink
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = t.grid, t.grid
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

// duration writes ns as on a clock: 20 ns, 1 ms, 2 s.
func duration(ns float64) string {
	unit, name := 1.0, "ns"
	for _, u := range []struct {
		ns   float64
		name string
	}{{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}} {
		if ns >= 0.9995*u.ns { // as three digits round up
			unit, name = u.ns, u.name
		}
	}
	return strconv.FormatFloat(ns/unit, 'g', 3, 64) + " " + name
}

// decades labels the powers of ten, and 2 and 5 between few of them.
type decades struct{ label func(float64) string }

func (d decades) Ticks(low, high float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(low, high)
	ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < low || t.Value > high })
	for i, t := range ticks {
		leading := t.Value / math.Pow(10, math.Floor(math.Log10(t.Value)+1e-9))
		between := high < 100*low && (math.Abs(leading-2) < 1e-6 || math.Abs(leading-5) < 1e-6)
		if t.Label != "" || between {
			ticks[i].Label = d.label(t.Value)
		}
	}
	return ticks
}
