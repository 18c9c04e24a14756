package main

import (
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

// The program rate is copied, swapped, ported, built and run.
func TestProgramIsSwappedPortedAndMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("builds four programs")
	}
	b := bench{rounds: 1, measured: 300 * time.Millisecond, short: true, temp: t.TempDir()}
	var err error
	if b.dir, err = goOutput(".", "list", "-m", "-f", "{{.Dir}}"); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if p.name != "rate" {
			continue
		}
		var r result
		variants, err := b.build(p, &r)
		if err != nil {
			t.Fatal(err)
		}
		if len(variants) != 5 || len(r.report.Swapped) == 0 {
			t.Fatal(variants, r.report)
		}
		for _, v := range variants {
			f, err := b.once(t.Context(), v)
			if err != nil {
				t.Fatal(v.name, err)
			}
			if f.Rate == 0 || f.CPU == 0 || f.Peak == 0 || f.P99 == 0 {
				t.Errorf("%s: %+v", v.name, f)
			}
			// On average, a timeout of the wheel is late by half a tick.
			if on := v.tick > 0; on && f.P50 < v.tick.Seconds()/4 {
				t.Errorf("%s, tick %v: half of the waits end within %vs", v.name, v.tick, f.P50)
			}
			if v.name == "ported" && f.Allocs > 1 {
				t.Errorf("the port makes %v allocations an operation", f.Allocs)
			}
		}
	}
}

func lines(cpu ...[]float64) *result {
	r := &result{program: program{name: "x"}}
	for _, runs := range cpu {
		var l line
		for _, v := range runs {
			l.runs = append(l.runs, load.Figures{CPU: v, Rate: 100})
		}
		r.lines = append(r.lines, l)
	}
	return r
}

func TestVerdictReportsMissingOperations(t *testing.T) {
	r := lines([]float64{1}, []float64{0.5}, []float64{1})
	r.lines[1].runs[0].Rate = 90
	if got := r.verdict(1, r.ratio(1)); got != "less; 10% fewer operations" {
		t.Error(got)
	}
}

func TestTableHasALineForEachVariant(t *testing.T) {
	r := lines([]float64{1e-6}, []float64{0.5e-6}, []float64{1e-6})
	r.lines[0].variant.name, r.lines[2].variant.name = "package time", "package time"
	r.lines[1].variant = variant{name: "ported", tick: time.Millisecond}
	var out strings.Builder
	r.print(&out)
	for _, want := range []string{"| package time | 1 | 1 |  |", "| ported, tick 1ms | 0.5 | 0.50 | less |", "| package time, again | 1 | 1.00 | the band: ±0% |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
