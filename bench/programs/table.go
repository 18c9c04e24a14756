package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/programs/load"
	"github.com/hashedwheel/hashedwheel/bench/swap"
)

// result holds the runs of one program. The first and the last line are package time's.
type result struct {
	program program
	version string
	shares  swap.Shares
	report  *swap.Report // nil: not swapped
	lines   []line
}

type line struct {
	variant variant
	runs    []load.Figures // one a round
}

func header(w io.Writer, rounds int, measured time.Duration, short bool) {
	fmt.Fprintf(w, "Commit %s, %s, %s, GOMAXPROCS %d; %d rounds, %v a run. Figures are medians; a ratio is the median of those within a round.\n",
		machine.Commit(), machine.CPU(), runtime.Version(), runtime.GOMAXPROCS(0), rounds, measured)
	if short {
		fmt.Fprintln(w, "A short run, at a tenth of the load: the figures mean nothing.")
	}
}

func (r *result) print(w io.Writer) {
	p := r.program
	fmt.Fprintf(w, "\n### %s@%s\n\n%s. Latency is %s.\n", p.module, r.version, p.load, p.feels)
	fmt.Fprintf(w, "Timers take %.1f%% of its CPU time (%v profiled), of that contexts %.1f%% and deadlines of connections %.1f%%. ",
		100*r.shares.Timers, r.shares.Total, 100*r.shares.Contexts, 100*r.shares.Deadlines)
	if r.report != nil {
		fmt.Fprintf(w, "Places swapped: %d, left: %d.\n", len(r.report.Swapped), len(r.report.Left))
	} else {
		fmt.Fprintf(w, "Not swapped: %s.\n", p.noSwap)
	}
	fmt.Fprintln(w, "\n| timers | CPU an operation, µs | ratio | | operations a second | allocations | peak, MB | p50, ms | p99, ms | p99.9, ms |")
	fmt.Fprintln(w, "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|")
	for i, l := range r.lines {
		name, ratio, word := l.variant.name, "1", ""
		if l.variant.tick > 0 {
			name += fmt.Sprintf(", tick %v", l.variant.tick)
		}
		if i > 0 {
			v := r.ratio(i)
			ratio, word = fmt.Sprintf("%.2f", v), r.verdict(i, v)
		}
		if i > 0 && i == len(r.lines)-1 {
			name, word = name+", again", fmt.Sprintf("the band: ±%.0f%%", 100*(r.band()-1))
		}
		fmt.Fprintf(w, "| %s | %.3g | %s | %s | %.0f | %.3g | %.0f | %.3g | %.3g | %.3g |\n", name,
			1e6*l.median(cpuOf), ratio, word,
			l.median(func(f load.Figures) float64 { return f.Rate }),
			l.median(func(f load.Figures) float64 { return f.Allocs }),
			l.median(func(f load.Figures) float64 { return f.Peak }),
			1e3*l.median(func(f load.Figures) float64 { return f.P50 }),
			1e3*l.median(func(f load.Figures) float64 { return f.P99 }),
			1e3*l.median(func(f load.Figures) float64 { return f.P999 }))
	}
}

// all returns a figure of each round.
func (l line) all(of func(load.Figures) float64) (values []float64) {
	for _, f := range l.runs {
		values = append(values, of(f))
	}
	return values
}

func (l line) median(of func(load.Figures) float64) float64 { return numbers.Median(l.all(of)) }

func cpuOf(f load.Figures) float64 { return f.CPU }

// ratio returns the ratio of a line's CPU to package time's.
func (r *result) ratio(i int) float64 {
	return numbers.Ratio(r.lines[i].all(cpuOf), r.lines[0].all(cpuOf))
}

// band returns the band between package time's two runs of a round.
func (r *result) band() float64 {
	return numbers.Band(r.lines[0].all(cpuOf), r.lines[len(r.lines)-1].all(cpuOf))
}

func (r *result) verdict(i int, ratio float64) string {
	word := numbers.Verdict(ratio, r.band())
	rate := func(l line) float64 { return l.median(func(f load.Figures) float64 { return f.Rate }) }
	if part := rate(r.lines[i]) / rate(r.lines[0]); part < 0.97 {
		word += fmt.Sprintf("; %.0f%% fewer operations", 100*(1-part))
	}
	return word
}
