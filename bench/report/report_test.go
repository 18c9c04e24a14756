package report

import (
	"bytes"
	"math"
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

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{9, 1}, 5},
	} {
		if got := Median(c.values); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
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

func TestFigureIsEarnedInEveryRound(t *testing.T) {
	rows := []Row{sample("us", 1, 100, ""), sample("us", 2, math.NaN(), "EARLY"), sample("us", 3, 100, "")}
	c := summarize(rows, "us", "wall")
	if !math.IsNaN(c.value) || c.mark != "EARLY, in 1 of 3 rounds" {
		t.Errorf("%v %q", c.value, c.mark)
	}
}

func table(rows ...Row) string {
	r := Report{Peers: []Peer{{Name: "std", Label: "std"}, {Name: "us", Label: "us"}}, Loads: []Load{{"arm", ""}}, Rows: rows}
	var b strings.Builder
	if err := r.Markdown(&b); err != nil {
		panic(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	std := []Row{sample("std", 1, 100, ""), sample("std", 2, 100, "")}
	for name, c := range map[string]struct {
		rows []Row
		want string
	}{
		"figure":          {[]Row{sample("us", 1, 25, ""), sample("us", 2, 25, "")}, "| us | 25.0 (0.25) |"},
		"figure and mark": {[]Row{sample("us", 1, 25, "EARLY"), sample("us", 2, 25, "EARLY")}, "| us | 25.0 (0.25) **EARLY** |"},
		"always lost":     {[]Row{failure("us", 1, "lost 1 of 2"), failure("us", 2, "lost 2 of 2")}, "| us | **lost 1 of 2** |"},
		"lost once":       {[]Row{sample("us", 1, 25, ""), failure("us", 2, "lost 2 of 2")}, "| us | **lost 2 of 2, in 1 of 2 rounds** |"},
		"no part":         {[]Row{failure("us", 1, "not supported: no tick")}, "No part in this: us: no tick."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := table(append(c.rows, std...)...); !strings.Contains(got, c.want) {
				t.Errorf("no %q in\n%s", c.want, got)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.0123: "0.012", 0.5: "0.50", 12.34: "12.3", 1234: "1234", 6_500_000: "6.50M", -2.48: "-2.48"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestCSVReadsBackAsWritten(t *testing.T) {
	rows := []Row{sample("std", 1, 12.5, ""), failure("us", 1, `lost 4,871 of 5,000 "x"`)}
	var b bytes.Buffer
	if err := WriteCSV(&b, []string{"date: today"}, rows); err != nil {
		t.Fatal(err)
	}
	if about := AboutCSV(b.String()); len(about) != 1 || about[0] != "date: today" {
		t.Error(about)
	}
	back, err := ReadCSV(&b)
	if err != nil || len(back) != 2 {
		t.Fatal(back, err)
	}
	if back[0] != rows[0] || back[1].Mark != rows[1].Mark || !math.IsNaN(back[1].Value) {
		t.Error(back)
	}
}

func TestParseRowRefusesWhatIsNoRow(t *testing.T) {
	for _, fields := range [][]string{{"arm"}, {"a", "b", "c", "x", "e", "f", "1", ""}, {"a", "b", "c", "1", "e", "f", "x", ""}} {
		if _, err := ParseRow(fields); err == nil {
			t.Errorf("%q is a row", fields)
		}
	}
}

func TestPlotHasALineForEachPeer(t *testing.T) {
	r := Report{Peers: []Peer{{Name: "std", Label: "std"}, {Name: "hashedwheel", Label: "ours"}, {Name: "gost", Label: "gost"}}}
	for _, peer := range []string{"std", "hashedwheel"} {
		for i, pending := range []string{"1k pending", "1M pending"} {
			r.Rows = append(r.Rows, Row{"grow", pending, peer, 1, "CPU", loads.PerOp, float64(100 * (i + 1)), ""})
		}
	}
	r.Rows = append(r.Rows, // one that is not wanted
		Row{"grow", "1k pending", "gost", 1, "CPU", loads.PerOp, 300, ""}, Row{"grow", "1M pending", "gost", 1, "CPU", loads.PerOp, 400, ""})
	var svg bytes.Buffer
	drawn, note, err := Plots()[0].Draw(&svg, &r)
	if err != nil || !drawn || !strings.HasSuffix(note, ": gost 400.") {
		t.Fatal(drawn, note, err)
	}
	for text, want := range map[string]bool{">std<": true, ">ours<": true, ">gost<": false, "fill:#FFFFFF": true} {
		if strings.Contains(svg.String(), text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
	if drawn, _, err := Plots()[1].Draw(&svg, &r); drawn || err != nil {
		t.Error("drew a plot of nothing", err)
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
