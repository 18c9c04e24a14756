package report

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/hashedwheel/hashedwheel/bench/loads"
)

func sample(peer string, round int, value float64, mark string) Row {
	return Row{"arm", "1k pending", peer, round, "wall", loads.PerOp, value, mark}
}

func failure(peer string, round int, mark string) Row {
	return Row{"arm", "1k pending", peer, round, Whole, "", math.NaN(), mark}
}

func TestRatioIsTakenWithinARound(t *testing.T) {
	rows := []Row{ // the machine is twice as slow in the second round, and thrice in the third
		sample("std", 1, 100, ""), sample("us", 1, 50, ""),
		sample("std", 2, 200, ""), sample("us", 2, 100, ""),
		sample("std", 3, 300, ""), sample("us", 3, 150, ""),
	}
	if c := summarize(rows, "us", "wall"); c.value != 100 || c.ratio != 0.5 {
		t.Errorf("%v (%v), want 100 (0.5)", c.value, c.ratio)
	}
}

func TestFigureNeedsEveryRound(t *testing.T) {
	rows := []Row{sample("us", 1, 100, ""), sample("us", 2, math.NaN(), "EARLY"), sample("us", 3, 100, "")}
	c := summarize(rows, "us", "wall")
	if !math.IsNaN(c.value) || c.mark != "EARLY, in 1 of 3 rounds" {
		t.Errorf("%v %q", c.value, c.mark)
	}
}

func table(rows ...Row) string {
	r := Report{Peers: []Peer{{Name: "std", Label: "std"}, {Name: "us", Label: "us"}}, Loads: []Load{{Name: "arm"}}, Rows: rows}
	return r.Markdown()
}

func TestTableShowsFiguresAndFailures(t *testing.T) {
	std := []Row{sample("std", 1, 100, ""), sample("std", 2, 100, "")}
	for name, c := range map[string]struct {
		rows []Row
		want string
	}{
		"spread":          {[]Row{sample("us", 1, 20, ""), sample("us", 2, 30, "")}, "| us | 20.0 ±20% (0.20) |"},
		"figure":          {[]Row{sample("us", 1, 25, ""), sample("us", 2, 25, "")}, "| us | 25.0 (0.25) |"},
		"figure and mark": {[]Row{sample("us", 1, 25, "EARLY"), sample("us", 2, 25, "EARLY")}, "| us | 25.0 (0.25) **EARLY** |"},
		"always lost":     {[]Row{failure("us", 1, "lost 1 of 2"), failure("us", 2, "lost 2 of 2")}, "| us | **lost 1 of 2** |"},
		"lost once":       {[]Row{sample("us", 1, 25, ""), failure("us", 2, "lost 2 of 2")}, "| us | **lost 2 of 2, in 1 of 2 rounds** |"},
		"not measured":    {[]Row{failure("us", 1, "not supported: no tick")}, "Not measured: us: no tick."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := table(append(c.rows, std...)...); !strings.Contains(got, c.want) {
				t.Errorf("no %q in\n%s", c.want, got)
			}
		})
	}
}

func TestRowsReadBackAsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv.gz")
	rows := []Row{sample("std", 1, 12.5, ""), failure("us", 1, `lost 4,871 of 5,000 "x"`)}
	if err := WriteRows(file, []string{"date: today"}, rows); err != nil {
		t.Fatal(err)
	}
	about, back, err := ReadRows(file)
	if err != nil || len(back) != 2 || len(about) != 1 || about[0] != "date: today" {
		t.Fatal(about, back, err)
	}
	if back[0] != rows[0] || back[1].Mark != rows[1].Mark || !math.IsNaN(back[1].Value) {
		t.Error(back)
	}
}

func TestParseRowRefusesMalformedFields(t *testing.T) {
	for _, fields := range [][]string{{"arm"}, {"a", "b", "c", "x", "e", "f", "1", ""}, {"a", "b", "c", "1", "e", "f", "x", ""}} {
		if _, err := ParseRow(fields); err == nil {
			t.Errorf("%q is a row", fields)
		}
	}
}

func TestPlotHasALineForEachPeer(t *testing.T) {
	r := Report{Peers: []Peer{{Name: "std", Label: "std"}, {Name: "hashedwheel", Label: "ours"}, {Name: "timingwheel", Label: "timingwheel"}}}
	for _, peer := range []string{"std", "hashedwheel"} {
		for i, pending := range []string{"1k pending", "1M pending"} {
			r.Rows = append(r.Rows, Row{"grow", pending, peer, 1, "CPU", loads.PerOp, float64(100 * (i + 1)), ""})
		}
	}
	r.Rows = append(r.Rows, // a peer that the plot leaves out
		Row{"grow", "1k pending", "timingwheel", 1, "CPU", loads.PerOp, 300, ""}, Row{"grow", "1M pending", "timingwheel", 1, "CPU", loads.PerOp, 400, ""})
	var svg bytes.Buffer
	plot := Plots()[0]
	plot.peers = []string{"std", ours}
	drawn, note, err := plot.Draw(&svg, &r, false)
	if err != nil || !drawn || !strings.HasSuffix(note, ": timingwheel 400 ns.") {
		t.Fatal(drawn, note, err)
	}
	for text, want := range map[string]bool{">package time<": true, ">ours<": true, ">timingwheel<": false, "fill:#FFFFFF": true, ">100 ns<": true, ">1M<": true} {
		if strings.Contains(svg.String(), text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
	svg.Reset()
	if _, _, err := plot.Draw(&svg, &r, true); err != nil || strings.Contains(svg.String(), "#FFFFFF") || strings.Contains(svg.String(), "#000000") {
		t.Error("white or black on a dark page", err)
	}
	if drawn, _, err := Plots()[1].Draw(&svg, &r, false); drawn || err != nil {
		t.Error("drew a plot of nothing", err)
	}
}

func TestDurationsHaveTheUnitThatFits(t *testing.T) {
	for ns, want := range map[float64]string{0.5: "0.5 ns", 20: "20 ns", 999.9: "1 µs", 2e6: "2 ms", 1.884e9: "1.88 s"} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestCoresReportsFilingRate(t *testing.T) {
	row := func(name, peer, figure string, value float64) Row {
		return Row{"cores", name, peer, 1, figure, loads.PerOp, value, ""}
	}
	r := Report{Rows: []Row{
		row("GOMAXPROCS=1", "std", "arm and stop", 100), row("GOMAXPROCS=1", ours, "arm and stop", 50), row("GOMAXPROCS=1", ours, "filing", 10),
		row("GOMAXPROCS=2, handicap 310ns", ours, "filing", 320), row("GOMAXPROCS=2, handicap 310ns", ours, "arm and stop", 40),
	}}
	text := r.Cores()
	for _, want := range []string{"| GOMAXPROCS=2, handicap 310ns | 320 | 64 | 40.0 | – |", "keeps up with 5.0 such processors",
		"64 / 50 ns is 1280 million calls", "at most 100 million of these a second", "64 / 100 ns is 640 million"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := (&Report{Rows: r.Rows[1:]}).Cores(); text != "" {
		t.Error(text)
	}
}

func TestParseCount(t *testing.T) {
	for name, want := range map[string]float64{"1k pending": 1e3, "10M pending": 1e7, "100 pending": 100, "calls": 0} {
		if got := parseCount(name); got != want {
			t.Errorf("parseCount(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	at := []vg.Length{0, 1, 2, 100}
	spread(at, 13)
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < 12.5 {
			t.Error(at)
		}
	}
	if at[0] > -10 || at[3] != 100 {
		t.Error("not spread up and down alike", at)
	}
}
